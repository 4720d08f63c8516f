import { html } from 'hono/html'
import { type TransactionPhase, transactionPhases } from '../../../contract/transaction.ts'
import type { TransactionChoice } from '../../store/console-queries.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { beforeIn, pageOf, pager, rowsAsked } from './paging.ts'
import { phaseCounts, sum } from './phase-counts.ts'
import { phaseName, phaseTones } from './phase-view.ts'
import { chips, emptyState } from './table.ts'
import { transactionTable } from './transaction-table.ts'

/** Transactions, newest first, filtered by phase or search text. */
export function transactionsPage(context: ConsoleContext, parts: ConsoleParts) {
  const { queries } = parts
  const query = new URL(context.req.url).searchParams
  const phase = phaseIn(query)
  const search = query.get('search')?.trim() || null
  const counts = phaseCounts(queries.stateCounts())
  const state = phase ? stateOf(phase) : null
  const found = queries.transactions({ before: beforeIn(query), count: rowsAsked, state, search })
  const { rows, next } = pageOf(found, ({ id }) => id)
  return consolePage(context, parts, {
    title: 'Transactions',
    menuPath: '/console/transactions',
    content: html`
      <h1>Transactions</h1>
      <form class="search" method="get" action="/console/transactions" role="search" data-kept>
        ${phase ? html`<input type="hidden" name="phase" value="${phase}">` : ''}
        <label class="hidden-text" for="search">Search</label>
        <input id="search" type="search" name="search" value="${search ?? ''}" placeholder="Number, item or character">
        <button class="button">Search</button>
      </form>
      ${chips('By phase', [
        { name: 'all', count: sum(counts.values()), href: '/console/transactions', isChosen: phase === undefined },
        ...[...counts].map(([name, count]) => ({
          name: phaseName(name),
          count,
          href: `/console/transactions?phase=${name}`,
          isChosen: phase === name,
          tone: phaseTones[name],
        })),
      ])}
      ${rows.length > 0 ? transactionTable(parts, rows) : emptyState('No transaction here', search ? 'Nothing fits the search.' : 'A purchase appears as soon as a game client makes one.')}
      ${pager('/console/transactions', query, next)}`,
  })
}

function phaseIn(query: URLSearchParams): TransactionPhase | undefined {
  const asked = query.get('phase') ?? ''
  return Object.hasOwn(transactionPhases, asked) ? (asked as TransactionPhase) : undefined
}

function stateOf(phase: TransactionPhase): TransactionChoice['state'] {
  const { paymentStatus, deliveryStatus } = transactionPhases[phase]
  return { paymentStatus, deliveryStatus, isCompleted: phase === 'completed' ? 1 : 0 }
}
