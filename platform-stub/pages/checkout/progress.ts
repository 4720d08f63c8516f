import { html } from 'hono/html'
import type { TransactionPhase } from '../../../contract/transaction.ts'
import { checkoutTexts as texts } from '../../marketplace/messages.ts'
import type { HistoryRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { shortMoment } from '../formats.ts'
import { icon } from '../parts.ts'

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

/** The colour and the picture of what happened. */
const looks = { good: 'check', wait: 'clock', bad: 'cross' } as const

/** Steps that are bad news. */
const tones: Readonly<Partial<Record<HistoryRow['trigger'], keyof typeof looks>>> = {
  'fail-out-of-stock': 'bad',
  expire: 'bad',
  cancel: 'bad',
  'fail-temporary': 'wait',
  dispute: 'wait',
}

/** What happened to a purchase and what comes next, in the buyer's words. */
export function progressList(history: readonly HistoryRow[], phase: TransactionPhase): Html {
  const steps = history.filter(({ trigger }, at) => trigger !== history[at + 1]?.trigger)
  return html`<ol class="timeline">
    ${steps.map(({ trigger, at }) => {
      const tone = tones[trigger] ?? 'good'
      return html`<li class="${tone}"><span class="dot">${icon(looks[tone])}</span><div>${texts.steps[trigger]}</div>${shortMoment(at)}</li>`
    })}
    ${toCome[phase].map((trigger, at) => html`<li class="${at === 0 ? 'current' : 'later'}"><span class="dot"></span><div>${texts.stepsToCome[trigger]}</div></li>`)}
  </ol>`
}
