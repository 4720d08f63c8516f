import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { Fields, SentRequest } from '../sent-request.ts'
import { fieldsIn } from './fields-in.ts'

/** Whether a proxy gave the answer about another transaction. */
export function isMixedUp({ transactionId }: SentRequest, result: AttemptResult): boolean {
  if (transactionId === undefined || result.kind !== 'answered') return false
  const shown = fieldsIn<{ readonly data: Fields }>(result.body).data?.['transactionId']
  return shown !== undefined && shown !== transactionId
}

/** What a 200 shows of the transaction that was asked about. */
export function shownIn(request: SentRequest, result: AttemptResult): Fields | undefined {
  if (result.kind !== 'answered' || result.status !== 200 || isMixedUp(request, result)) return undefined
  return fieldsIn<{ readonly data: Fields }>(result.body).data
}
