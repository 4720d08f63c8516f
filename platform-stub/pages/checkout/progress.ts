import { html } from 'hono/html'
import type { TransactionPhase, TransactionTrigger } from '../../../contract/transaction.ts'
import { checkoutTexts as texts } from '../../marketplace/messages.ts'
import type { HistoryRow } from '../../store/transaction-rows.ts'
import { shortMoment } from '../brasilia.ts'
import type { Html } from '../document.ts'
import { icon } from '../icons.ts'

/** The steps that follow, by phase. */
const toCome: Readonly<Record<TransactionPhase, readonly (keyof typeof texts.stepsToCome)[]>> = {
  'awaiting-payment': ['pay', 'deliver', 'complete'],
  'awaiting-server': ['deliver', 'complete'],
  delivered: ['complete'],
  failed: ['refund'],
  disputed: ['decide'],
  completed: [],
  'refunded-after-failure': [],
  'refunded-after-dispute': [],
  expired: [],
  cancelled: [],
}

const badNews: readonly HistoryRow['trigger'][] = ['fail-out-of-stock', 'expire', 'cancel']
const delays: readonly HistoryRow['trigger'][] = ['fail-temporary', 'dispute']

/** What happened to a purchase and what comes next, in the buyer's words. */
export function progressList(history: readonly HistoryRow[], phase: TransactionPhase): Html {
  const steps = history.filter(({ trigger }, at) => trigger !== history[at + 1]?.trigger)
  return html`<ol>
    ${steps.map(
      ({ trigger, at }) => html`<li class="step ${toneOf(trigger)}">
        <span class="dot">${icon(iconOf(trigger))}</span>
        <span>${texts.steps[trigger]}</span>
        ${shortMoment(at)}
      </li>`,
    )}
    ${toCome[phase].map(
      (trigger, at) => html`<li class="step ${at === 0 ? 'current' : 'later'}">
        <span class="dot"></span>
        <span>${texts.stepsToCome[trigger]}</span>
      </li>`,
    )}
  </ol>`
}

function toneOf(trigger: TransactionTrigger | 'create'): string {
  if (badNews.includes(trigger)) return 'bad'
  return delays.includes(trigger) ? 'wait' : 'good'
}

function iconOf(trigger: TransactionTrigger | 'create') {
  if (badNews.includes(trigger)) return 'cross'
  return delays.includes(trigger) ? 'clock' : 'check'
}
