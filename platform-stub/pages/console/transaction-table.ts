import { html } from 'hono/html'
import type { ListedTransaction } from '../../store/console-queries.ts'
import type { Html } from '../document.ts'
import { inReais } from '../money.ts'
import type { ConsoleParts } from './console-parts.ts'
import { acknowledgedCell, exchangeWith, expectedCell } from './exchange-view.ts'
import { relativeTo } from './moments.ts'
import { statusBadge } from './phase-view.ts'
import { table } from './table.ts'

/** Transactions as a table, each with a link to its page. */
export function transactionTable(parts: ConsoleParts, rows: readonly ListedTransaction[]): Html {
  const nowMs = parts.clock.nowMs()
  return table('Transactions', rows, ({ id }) => id, [
    {
      name: 'No.',
      cell: ({ id }) => html`<a href="/console/transactions/${id}">${id}</a>`,
      isFigure: true,
    },
    {
      name: 'Item',
      isWide: true,
      cell: ({ id, itemName, itemRef, createdAt }) =>
        html`<a class="strong" href="/console/transactions/${id}" tabindex="-1">${itemName}</a><code class="sub">${itemRef}</code><span class="sub">created ${relativeTo(createdAt, nowMs)}</span>`,
    },
    {
      name: 'Purchase',
      cell: ({ quantity, unitAmountCents, buyerCharacterRef, sellerCharacterRef }) =>
        html`<span class="strong">${inReais(quantity * unitAmountCents)}</span><span class="sub">${quantity} × ${inReais(unitAmountCents)}</span><span class="sub">${buyerCharacterRef} from ${sellerCharacterRef}</span>`,
    },
    {
      name: 'Payment, delivery',
      cell: ({ paymentStatus, deliveryStatus }) =>
        html`<span class="badges">${statusBadge(paymentStatus)}${statusBadge(deliveryStatus)}</span>`,
    },
    { name: 'Acknowledged', cell: (row) => acknowledgedCell(exchangeWith(parts, row), nowMs), isWide: true },
    { name: 'Next', cell: (row) => expectedCell(exchangeWith(parts, row), nowMs) },
  ])
}
