import { inputFaultInWords } from '../../contract/faults-in-words.ts'
import type { EnvelopeOperation, VerifyOperation } from '../../contract/operations.ts'
import type { IdempotencyJournal } from '../journal/idempotency-journal.ts'
import { JournalError } from '../journal/idempotency-journal.ts'
import { messages } from '../messages.ts'
import { type CallAnswer, refusal } from './answer.ts'
import { type Call, fingerprintOf, orderKeyOf, type PlatformCall } from './call.ts'
import { keepMs } from './keep.ts'
import { type SendDeps, sendWithRetries } from './send-with-retries.ts'
import { settleDoubt } from './settle-doubt.ts'
import type { SingleFlight } from './single-flight.ts'
import { type CallTrace, newTrace } from './trace.ts'
import type { Turns } from './turns.ts'

export interface CallDeps extends SendDeps {
  readonly journal: IdempotencyJournal
  readonly singleFlight: SingleFlight
  readonly turns: Turns
  readonly callDeadlineMs: number
  readonly sealEnvelope: (call: Call<EnvelopeOperation>) => Promise<CallAnswer>
  readonly verifyWebhook: (call: Call<VerifyOperation>) => Promise<CallAnswer>
  /** Told of every call at its end. */
  readonly callAnswered: (call: Call, answer: CallAnswer, trace: CallTrace, durationMs: number) => void
  /** Told of a fault of our own, which nobody expected. */
  readonly callBroke: (call: Call, error: unknown) => void
}

/**
 * One call, plain JSON in and out, whichever interface brought it. Everything that can end it is on this page.
 *
 * Never throws: a fault of our own is an answer too, and one in doubt.
 */
export async function answerCall(call: Call, deps: CallDeps): Promise<CallAnswer> {
  const startedMs = deps.clock.monotonicMs()
  const trace = newTrace()
  let answer: CallAnswer
  try {
    answer = await answerOnce(call, startedMs + deps.callDeadlineMs, deps, trace)
  } catch (error) {
    deps.callBroke(call, error)
    answer = refusal(500, messages.internal, true)
  }
  deps.callAnswered(call, answer, trace, deps.clock.monotonicMs() - startedMs)
  return answer
}

/** An id is answered once: whoever repeats it gets what the first one got. */
async function answerOnce(call: Call, deadlineMs: number, deps: CallDeps, trace: CallTrace): Promise<CallAnswer> {
  const checked = call.operation.input.safeParse(call.input)
  const issue = checked.error?.issues[0]
  if (issue) return refusal(400, inputFaultInWords(issue, call.input))

  const { id } = call
  if (id === undefined) return execute(call, deadlineMs, deps, trace)

  const fingerprint = fingerprintOf(call)
  const underWay = deps.singleFlight.find(id)
  if (underWay) {
    trace.source = 'shared'
    return underWay.fingerprint === fingerprint ? underWay.answer : refusal(422, messages.idReused)
  }
  return deps.singleFlight.run(id, fingerprint, async () => {
    const known = deps.journal.find(id)
    if (known) {
      trace.source = 'stored'
      if (known.fingerprint !== fingerprint) return refusal(422, messages.idReused)
      return known.state.kind === 'answered' ? known.state.answer : refusal(504, messages.inDoubtAfterRestart, true)
    }
    const answer = await execute(call, deadlineMs, deps, trace, fingerprint)
    const keptMs = keepMs(call.operation, answer)
    if (keptMs > 0) deps.journal.recordAnswer(id, fingerprint, call.operationName, answer, keptMs)
    else deps.journal.release(id)
    return answer
  })
}

async function execute(
  call: Call,
  deadlineMs: number,
  deps: CallDeps,
  trace: CallTrace,
  fingerprint?: string,
): Promise<CallAnswer> {
  switch (call.operation.kind) {
    case 'envelope':
      return deps.sealEnvelope(call as Call<EnvelopeOperation>)
    case 'verify':
      return deps.verifyWebhook(call as Call<VerifyOperation>)
    case 'platform':
      trace.source = 'platform'
      return executeInTurn(call as PlatformCall, deadlineMs, deps, trace, fingerprint)
  }
}

/** An older observation never overtakes a newer one, and what may be sent once is noted before it leaves. */
async function executeInTurn(
  call: PlatformCall,
  deadlineMs: number,
  deps: CallDeps,
  trace: CallTrace,
  fingerprint: string | undefined,
): Promise<CallAnswer> {
  const key = orderKeyOf(call)
  const turn = key === undefined ? undefined : await deps.turns.take(key, deadlineMs)
  if (key !== undefined && !turn) return refusal(504, messages.waitedForTurn)
  let mayArriveUntilMs = 0
  try {
    if (call.operation.retry === 'once' && call.id !== undefined && fingerprint !== undefined) {
      deps.journal.recordIntent(call.id, fingerprint, call.operationName)
    }
    const outcome = await sendWithRetries(call, deadlineMs, deps, trace)
    mayArriveUntilMs = outcome.mayArriveUntilMs
    return outcome.isRefusedInDoubt ? await settleDoubt(call, outcome.answer, deadlineMs, deps, trace) : outcome.answer
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
    return refusal(503, messages.cannotRecord)
  } finally {
    turn?.release(mayArriveUntilMs)
  }
}
