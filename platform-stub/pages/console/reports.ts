import { html } from 'hono/html'
import type { HistoryRow, TransactionRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { inBrief, stampOf } from '../formats.ts'
import { badge } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import type { ConsoleParts } from './console-parts.ts'
import { statusBadges } from './phase-view.ts'

/** What a report of the game server is called in its reply to an order, by the move that the report made. */
const results = {
  deliver: { name: 'DELIVERED', tone: 'good' },
  'fail-out-of-stock': { name: 'OUT_OF_STOCK', tone: 'bad' },
  'fail-temporary': { name: 'TEMPORARY', tone: 'wait' },
} as const

interface Report extends HistoryRow {
  readonly trigger: keyof typeof results
}

const isReport = (row: HistoryRow): row is Report => row.trigger in results

/** What the game server, or its agent, reported about a transaction, newest first, each with its result. */
export function reportList(t: Texts, history: readonly HistoryRow[]): Html {
  const reports = history.filter(isReport).toReversed()
  if (reports.length === 0) return html`<span class="soft">${t.reports.nothing}</span>`
  return html`<ul class="list">${reports.map(
    (report) =>
      html`<li>${inOneLine(t, report)}<span class="sub">${stampOf(report.at, t.lang)}</span>
        ${report.detail && html`<p class="wrap">${t.reports.because(html`<q>${report.detail}</q>`)}</p>`}
        ${statusBadges(report)}</li>`,
  )}</ul>`
}

/** The newest report about a transaction of a list, in brief; empty before one. */
export function lastReport({ t, platform }: ConsoleParts, { id }: TransactionRow): Html | '' {
  const report = platform.tables.transactions.historyOf(id).findLast(isReport)
  if (!report) return ''
  const { detail } = report
  return html`<span class="sub">${t.reports.reported(inOneLine(t, report))}${detail && html`<q class="wrap">${inBrief(detail)}</q>`}</span>`
}

function inOneLine(t: Texts, { trigger, observedQuantity }: Report): Html {
  const { name, tone } = results[trigger]
  return html`${badge(tone, name)}${observedQuantity === null ? '' : ` ${t.exchange.observed(observedQuantity)}`}`
}
