import { operations } from '../../contract/operations.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import type { CallAnswer } from './answer.ts'
import type { PlatformCall } from './call.ts'
import { attemptTimeoutMsMin, type SendDeps, sendWithRetries } from './send-with-retries.ts'
import type { CallTrace } from './trace.ts'

/**
 * Answers the truth about a call that was refused after an attempt without an answer. That attempt may be why: the
 * platform acted, and refuses the second. So the transaction is asked, where it can prove the call.
 *
 * @returns The success that the first attempt had, if the transaction shows it; else the refusal, still uncertain.
 */
export async function settleDoubt(
  call: PlatformCall,
  refused: CallAnswer,
  deadlineMs: number,
  deps: SendDeps,
  trace: CallTrace,
): Promise<CallAnswer> {
  const { proof } = call.operation
  const hasTime = deadlineMs - deps.clock.monotonicMs() >= attemptTimeoutMsMin
  if (!proof || !hasTime) return refused
  const { transactionId } = call.input
  const question: PlatformCall = {
    id: undefined,
    operationName: 'transaction.get',
    operation: operations['transaction.get'],
    input: { transactionId },
  }
  const { answer } = await sendWithRetries(question, deadlineMs, deps, trace)
  const reading = answer.ok ? readStrictJson(answer.dataText, { numbers: 'any' }) : undefined
  const shown = reading?.ok ? proof({ ...reading.object.value, transactionId }, call.input) : undefined
  return shown ? { ok: true, dataText: JSON.stringify(shown) } : refused
}
