import { html } from 'hono/html'
import { type TransactionPhase, transactionPhases } from '../../../contract/transaction.ts'
import type { TransactionChoice } from '../../store/console-queries.ts'
import type { Html } from '../document.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { beforeIn, pageOf, pager, rowsAsked } from './paging.ts'
import { phaseCounts, sum } from './phase-counts.ts'
import { phaseName, phaseTones } from './phase-view.ts'
import { emptyState } from './table.ts'
import { transactionTable } from './transaction-table.ts'

/** Transactions, newest first, by phase or by what is searched for. */
export function transactionsPage(context: ConsoleContext, parts: ConsoleParts) {
  const { queries } = parts
  const query = new URL(context.req.url).searchParams
  const phase = phaseIn(query)
  const search = query.get('search')?.trim() || null
  const counts = phaseCounts(queries.standings())
  const standing = phase ? standingOf(phase) : null
  const found = queries.transactions({ before: beforeIn(query), count: rowsAsked, standing, search })
  const { rows, next } = pageOf(found, ({ id }) => id)
  return consolePage(context, parts, {
    title: 'Transactions',
    place: '/console/transactions',
    content: html`
      <h1>Transactions</h1>
      <form class="search" method="get" action="/console/transactions" role="search" data-kept>
        ${phase ? html`<input type="hidden" name="phase" value="${phase}">` : ''}
        <label class="hidden-text" for="search">Search</label>
        <input id="search" type="search" name="search" value="${search ?? ''}" placeholder="Number, item or character">
        <button class="button">Search</button>
      </form>
      <ul class="chips" aria-label="By phase">
        ${chip('all', sum(counts.values()), '/console/transactions', phase === undefined)}
        ${[...counts].map(([name, count]) => chip(phaseName(name), count, `/console/transactions?phase=${name}`, phase === name, phaseTones[name]))}
      </ul>
      ${rows.length > 0 ? transactionTable(parts, rows) : emptyState('No transaction here', search ? 'Nothing fits the search.' : 'A purchase appears as soon as a game client makes one.')}
      ${pager('/console/transactions', query, next)}`,
  })
}

function phaseIn(query: URLSearchParams): TransactionPhase | undefined {
  const asked = query.get('phase') ?? ''
  return Object.hasOwn(transactionPhases, asked) ? (asked as TransactionPhase) : undefined
}

function standingOf(phase: TransactionPhase): TransactionChoice['standing'] {
  const { paymentStatus, deliveryStatus } = transactionPhases[phase]
  return { paymentStatus, deliveryStatus, isCompleted: phase === 'completed' ? 1 : 0 }
}

function chip(name: string, count: number, href: string, isChosen: boolean, tone = 'calm'): Html {
  return html`<li><a class="chip ${tone}" href="${href}" ${isChosen ? html`aria-current="true"` : ''}>${name} <span>${count.toLocaleString('en')}</span></a></li>`
}
