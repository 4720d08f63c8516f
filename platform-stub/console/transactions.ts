import { html } from 'hono/html'
import { type TransactionPhase, transactionPhases } from '../../contract/transaction.ts'
import { positiveInteger } from '../control/request.ts'
import { stubLimits } from '../limits.ts'
import type { Html } from '../pages/document.ts'
import { inReais } from '../pages/money.ts'
import type { ListedTransaction, TransactionChoice } from '../store/console.ts'
import { consolePage } from './layout.ts'
import { relativeTo } from './moments.ts'
import { phaseCounts, sum } from './overview.ts'
import type { ConsoleContext, ConsoleParts } from './parts.ts'
import { phaseName, phaseTones, statusBadge } from './standing.ts'
import { emptyState, pager, table } from './table.ts'

/** Transactions, newest first, by phase or by what is searched for. */
export function transactionsPage(context: ConsoleContext, parts: ConsoleParts) {
  const { queries } = parts
  const query = new URL(context.req.url).searchParams
  const phase = phaseIn(query)
  const search = query.get('search')?.trim() || null
  const counts = phaseCounts(queries.standings())
  const rows = queries.transactions({
    before: positiveInteger(query.get('before') ?? undefined) ?? null,
    count: stubLimits.consoleRowsMax,
    standing: phase ? standingOf(phase) : null,
    search,
  })
  const lastId = rows.length === stubLimits.consoleRowsMax ? (rows.at(-1)?.id ?? null) : null
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
      ${pager('/console/transactions', query, lastId)}`,
  })
}

/** Transactions as a table, each leading to its own page. */
export function transactionTable({ clock }: ConsoleParts, rows: readonly ListedTransaction[]): Html {
  const nowMs = clock.nowMs()
  return table('Transactions', rows, ({ id }) => id, [
    {
      name: 'No.',
      cell: ({ id }) => html`<a class="number" href="/console/transactions/${id}">${id}</a>`,
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
        html`<span class="axes">${statusBadge(paymentStatus)}${statusBadge(deliveryStatus)}</span>`,
    },
    { name: 'Next', cell: (row) => nextOf(row, nowMs) },
    { name: 'Created', cell: ({ createdAt }) => relativeTo(createdAt, nowMs) },
  ])
}

function nextOf({ dueTrigger, dueAt, completedAt, retryAt }: ListedTransaction, nowMs: number): Html | string {
  if (dueTrigger !== null && dueAt !== null) return html`${dueTrigger} ${relativeTo(dueAt, nowMs)}`
  if (retryAt !== null && completedAt === null && retryAt > nowMs) return html`order ${relativeTo(retryAt, nowMs)}`
  return '–'
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
