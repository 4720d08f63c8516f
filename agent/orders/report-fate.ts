import type { OrderResult } from '../../contract/order-reply.ts'
import { deliveryFailureReport, type TerminalOutcome, transactionPhases } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import { cures } from '../language/cures.ts'
import { isUnknown, type PlatformWord } from './platform-word.ts'

/** What comes of a report after an answer of the platform. */
export type ReportFate =
  | { readonly kind: 'accepted' }
  /** `TEMPORARY` was accepted. `retryAtMs` (Unix ms): null where the platform did not say. */
  | { readonly kind: 'put-off'; readonly retryAtMs: number | null }
  /** Reported again, later. */
  | { readonly kind: 'again' }
  /** The platform says that it has no such transaction for us. One such answer closes nothing. */
  | { readonly kind: 'unknown' }
  /** The platform never accepts it. `cure`: what staff must do; undefined where nothing is to be done. */
  | { readonly kind: 'over'; readonly outcome: TerminalOutcome | null; readonly cure: string | undefined }
  /** Only `transaction.get` can tell. */
  | 'ask'

/** Judges the answer to a report. A refusal says that the platform's state is another one, so it is asked. */
export function fateOfAnswer(result: OrderResult, answer: CallAnswer): ReportFate {
  if (answer.ok)
    return result === 'TEMPORARY' ? { kind: 'put-off', retryAtMs: retryAtMsOf(answer.dataText) } : { kind: 'accepted' }
  if (answer.code !== undefined || answer.uncertain) return { kind: 'again' }
  if (isUnknown(answer)) return { kind: 'unknown' }
  return [400, 409, 422].includes(answer.status) ? 'ask' : { kind: 'again' }
}

/** Judges a report that was refused by what the platform shows of the transaction. Pure, as all of this page. */
export function fateOfRefusal(result: OrderResult, word: PlatformWord): Exclude<ReportFate, 'ask'> {
  if (word.kind === 'unanswered') return { kind: 'again' }
  if (word.kind === 'unknown') return { kind: 'unknown' }
  const { phase } = word
  const { outcome } = transactionPhases[phase]
  switch (phase) {
    // A dispute that is rejected leads back to where the report is accepted.
    case 'disputed':
    case 'awaiting-server':
    case 'awaiting-payment':
      return { kind: 'again' }
    case 'delivered':
    case 'completed':
      return result === 'DELIVERED' ? { kind: 'accepted' } : { kind: 'over', outcome, cure: cures.checkDelivered() }
    case 'failed':
    case 'refunded-after-failure':
      if (result === 'OUT_OF_STOCK') return { kind: 'accepted' }
      return { kind: 'over', outcome, cure: cureOfEnd(result, false) }
    default:
      return { kind: 'over', outcome, cure: cureOfEnd(result, false) }
  }
}

/** What staff must do where a transaction ended against what the game server did; undefined where nothing. */
export function cureOfEnd(result: OrderResult | null, isDelivered: boolean): string | undefined {
  if (result === 'DELIVERED') return isDelivered ? undefined : cures.takeBack()
  return result !== null && isDelivered ? cures.checkDelivered() : undefined
}

/** When the platform sends the order again after `TEMPORARY`, Unix ms; null where its answer does not say. */
export function retryAtMsOf(dataText: string): number | null {
  const report = deliveryFailureReport.safeParse(JSON.parse(dataText))
  const retryAtMs = report.success ? Date.parse(report.data.retryAt ?? '') : Number.NaN
  return Number.isNaN(retryAtMs) ? null : retryAtMs
}
