import { html } from 'hono/html'
import { transactionPhases } from '../../../contract/transaction.ts'
import type { ListedTransaction } from '../../store/console-queries.ts'
import type { Html } from '../document.ts'
import { inBrief, inReais, relativeTo } from '../formats.ts'
import { copyableInBrief } from '../parts.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { acknowledgedList, exchangeWith, expectedCell } from './exchange-view.ts'
import { beforeIn, choiceIn, choices, emptyState, pageOf, rowsAsked, searchForm, searchOf, table } from './list.ts'
import { phaseCounts, phaseTone, statusBadges } from './phase-view.ts'
import { lastReport } from './reports.ts'

/** Transactions, newest first, filtered by phase or search text. */
export function transactionsPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t, queries } = parts
  const { query } = request
  const phase = choiceIn(transactionPhases, query.get('phase'))
  const search = searchOf(query)
  const state = phase && {
    ...transactionPhases[phase],
    isCompleted: phase === 'completed' ? (1 as const) : (0 as const),
  }
  const found = queries.transactions({ before: beforeIn(request), count: rowsAsked, state, search })
  const { rows, pager } = pageOf(t, request, found, ({ id }) => id)
  const counts = [...phaseCounts(queries)]
  const phases = counts.map(
    ([name, count]) =>
      ({ name: t.transactions.phases[name], count, parameter: ['phase', name], tone: phaseTone(name) }) as const,
  )
  const hint = search ? t.transactions.nothingFits : t.transactions.comesWith
  return {
    title: t.menu['/console/transactions'],
    content: html`
      <h1>${t.menu['/console/transactions']}</h1>
      ${searchForm(t, request, { searchFor: t.transactions.searchFor, keeps: ['phase'] })}
      ${choices(t, t.transactions.byPhase, request, [{ name: t.common.all, count: counts.reduce((sum, [, count]) => sum + count, 0) }, ...phases])}
      ${transactionTable(parts, rows, emptyState(t.transactions.none, hint))}
      ${pager}`,
  }
}

/** Transactions as a table, each with a link to its page. */
export function transactionTable(parts: ConsoleParts, rows: readonly ListedTransaction[], empty: Html): Html {
  const { t } = parts
  const { columns } = t.transactions
  const nowMs = parts.clock.nowMs()
  return table(t.menu['/console/transactions'], rows, ({ id }) => id, empty, [
    { name: t.common.no, look: 'figure', cell: ({ id }) => html`<a href="/console/transactions/${id}">${id}</a>` },
    {
      name: columns.item,
      look: 'wide',
      cell: ({ id, itemName, itemRef, createdAt }) =>
        html`<a class="strong" href="/console/transactions/${id}" tabindex="-1">${inBrief(itemName)}</a><span class="sub">${copyableInBrief(t, 'itemRef', itemRef)}</span><span class="sub">${t.transactions.created(relativeTo(createdAt, nowMs, t.lang))}</span>`,
    },
    {
      name: columns.purchase,
      cell: ({ quantity, unitAmountCents, buyerCharacterRef, sellerCharacterRef }) =>
        html`<span class="strong">${inReais(quantity * unitAmountCents, t.lang)}</span><span class="sub">${quantity} × ${inReais(unitAmountCents, t.lang)}</span><span class="sub">${t.transactions.buyerAndSeller(inBrief(buyerCharacterRef), inBrief(sellerCharacterRef))}</span>`,
    },
    { name: columns.statuses, cell: (row) => html`${statusBadges(row)}${lastReport(parts, row)}` },
    { name: columns.acknowledged, look: 'wide', cell: (row) => acknowledgedList(t, exchangeWith(parts, row)) },
    { name: columns.next, cell: (row) => expectedCell(t, exchangeWith(parts, row), nowMs) },
  ])
}
