import { html } from 'hono/html'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { ListedTransaction } from '../../store/console-queries.ts'
import type { Html } from '../document.ts'
import { inReais } from '../money.ts'
import type { ConsoleParts } from './console-parts.ts'
import { relativeTo } from './moments.ts'
import { awaited, statusBadge } from './phase-view.ts'
import { table } from './table.ts'

/** Transactions as a table, each with a link to its page. */
export function transactionTable({ clock }: ConsoleParts, rows: readonly ListedTransaction[]): Html {
  const nowMs = clock.nowMs()
  return table('Transactions', rows, ({ id }) => id, [
    {
      name: 'No.',
      cell: ({ id }) => html`<a href="/console/transactions/${id}">${id}</a>`,
      isFigure: true,
    },
    {
      name: 'Item',
      cell: ({ id, itemName, itemRef }) =>
        html`<a class="strong" href="/console/transactions/${id}" tabindex="-1">${itemName}</a><code class="sub">${itemRef}</code>`,
    },
    {
      name: 'Total',
      isFigure: true,
      cell: ({ quantity, unitAmountCents }) =>
        html`<span class="strong">${inReais(quantity * unitAmountCents)}</span><span class="sub">${quantity} × ${inReais(unitAmountCents)}</span>`,
    },
    {
      name: 'Buyer, seller',
      cell: ({ buyerCharacterRef, sellerCharacterRef }) =>
        html`<span>${buyerCharacterRef}</span><span class="sub">from ${sellerCharacterRef}</span>`,
    },
    {
      name: 'Payment, delivery',
      cell: ({ paymentStatus, deliveryStatus }) =>
        html`<span class="badges">${statusBadge(paymentStatus)}${statusBadge(deliveryStatus)}</span>`,
    },
    { name: 'Next', cell: (row) => nextOf(row, nowMs) },
    { name: 'Created', cell: ({ createdAt }) => relativeTo(createdAt, nowMs) },
  ])
}

function nextOf(row: ListedTransaction, nowMs: number): Html | string {
  const { dueTrigger, dueAt, completedAt, retryAt } = row
  if (dueTrigger !== null && dueAt !== null) return html`${dueTrigger} ${relativeTo(dueAt, nowMs)}`
  if (retryAt !== null && completedAt === null && retryAt > nowMs) return html`order ${relativeTo(retryAt, nowMs)}`
  return awaited[phaseOfRow(row)]?.who ?? '–'
}
