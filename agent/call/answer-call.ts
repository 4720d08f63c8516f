import { limits } from '../../contract/limits.ts'
import type { EnvelopeOperation, VerifyOperation } from '../../contract/operations.ts'
import type { IdempotencyJournal, JournalEntry, JournalledCall } from '../journal/idempotency-journal.ts'
import { JournalFullError } from '../journal/idempotency-journal.ts'
import { type CallAnswer, inDoubt, refusal } from './answer.ts'
import type { Call, PlatformCall } from './call.ts'
import { keepMs } from './keep.ts'
import { messages } from './messages.ts'
import { type SendDeps, sendWithRetries } from './send-with-retries.ts'
import { settleDoubt } from './settle-doubt.ts'
import type { SingleFlight } from './single-flight.ts'
import { type CallTrace, newTrace } from './trace.ts'
import type { KeyQueues, Turn } from './turn.ts'

export interface CallDeps extends SendDeps {
  readonly journal: IdempotencyJournal
  readonly singleFlight: SingleFlight
  readonly keyQueues: KeyQueues
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
 *
 * @param turn From `takeTurn`, taken when the call arrived. It is released at the end, however the call ends.
 */
export async function answerCall(call: Call, turn: Turn, deps: CallDeps): Promise<CallAnswer> {
  const startedMs = deps.clock.monotonicMs()
  const trace = newTrace()
  let answer: CallAnswer
  try {
    answer = await answerOnce(call, turn, startedMs + deps.callDeadlineMs, deps, trace)
  } catch (error) {
    deps.callBroke(call, error)
    const mayHaveActed = call.operation.kind === 'platform' && call.operation.retry !== 'safe'
    answer = refusal(500, mayHaveActed ? messages.internal : messages.internalSafe, mayHaveActed)
  } finally {
    turn.release()
  }
  deps.callAnswered(call, answer, trace, deps.clock.monotonicMs() - startedMs)
  return answer
}

/** An id is answered once: whoever repeats it gets what the first one got. */
async function answerOnce(
  call: Call,
  turn: Turn,
  deadlineMs: number,
  deps: CallDeps,
  trace: CallTrace,
): Promise<CallAnswer> {
  const { id, fingerprint, inputFault } = call
  if (inputFault !== undefined) return refusal(400, inputFault)
  if (id === undefined || fingerprint === undefined) return execute(call, turn, deadlineMs, deps, trace)

  const underWay = deps.singleFlight.find(id)
  if (underWay) {
    // The call under way may wait behind this turn.
    turn.release()
    if (underWay.fingerprint !== fingerprint) return refusal(422, messages.idReused)
    trace.source = 'shared'
    return underWay.answer
  }
  return deps.singleFlight.run(id, fingerprint, async () => {
    const stored = await findStored(call, id, deps)
    if (stored && stored.fingerprint !== fingerprint) return refusal(422, messages.idReused)
    const again = stored && answerAgain(call, stored.answer, deps)
    if (again) {
      trace.source = 'stored'
      return again
    }
    const journalled: JournalledCall = { id, fingerprint, operationName: call.operationName }
    if (call.claimedBefore === 'elsewhere' && isOnce(call)) return kept(call, journalled, inDoubt, deps)
    const answer = await execute(call, turn, deadlineMs, deps, trace, journalled)
    return kept(call, journalled, answer, deps)
  })
}

/** What the journal has of an id. */
function findStored({ claimedBefore }: Call, id: string, { journal }: CallDeps): Promise<JournalEntry | undefined> {
  // A claim made by another journal may only match a live entry: an expired one belongs to an earlier call that reused the id.
  return claimedBefore === 'here' ? journal.findUnanswered(id) : journal.find(id)
}

/**
 * The stored answer of an equal call, marked as replayed; undefined where it is not to be given again. A request that a
 * former agent claimed was not answered yet: it gets its first answer, without the mark.
 */
function answerAgain(call: Call, answer: CallAnswer, { platformClock }: CallDeps): CallAnswer | undefined {
  if (call.claimedBefore) return answer
  // The platform's time may have moved since the answer was stored.
  return keepMs(call.operation, answer, platformClock) > 0 ? { ...answer, replayed: true } : undefined
}

/** Stored before it is given. Where there is no room to store it, a `once` call is in doubt, as after a restart. */
async function kept(call: Call, journalled: JournalledCall, answer: CallAnswer, deps: CallDeps): Promise<CallAnswer> {
  const keptMs = keepMs(call.operation, answer, deps.platformClock)
  try {
    if (keptMs > 0) await deps.journal.recordAnswer(journalled, answer, keptMs)
    else if (isOnce(call)) await deps.journal.release(journalled.id)
    return answer
  } catch (error) {
    if (!(error instanceof JournalFullError)) throw error
    return isOnce(call) && keptMs > 0 ? inDoubt : answer
  }
}

function isOnce({ operation }: Call): boolean {
  return operation.kind === 'platform' && operation.retry === 'once'
}

function execute(
  call: Call,
  turn: Turn,
  deadlineMs: number,
  deps: CallDeps,
  trace: CallTrace,
  journalled?: JournalledCall,
): Promise<CallAnswer> {
  switch (call.operation.kind) {
    case 'envelope':
      return deps.sealEnvelope(call as Call<EnvelopeOperation>)
    case 'verify':
      return deps.verifyWebhook(call as Call<VerifyOperation>)
    case 'platform':
      trace.source = 'platform'
      return executeInTurn(call as PlatformCall, turn, deadlineMs, deps, trace, journalled)
  }
}

/** An older observation never overtakes a newer one, and what may be sent once is noted before it leaves. */
async function executeInTurn(
  call: PlatformCall,
  turn: Turn,
  deadlineMs: number,
  deps: CallDeps,
  trace: CallTrace,
  journalled: JournalledCall | undefined,
): Promise<CallAnswer> {
  const hasTurn = await turn.wait(deadlineMs)
  const hasTime = deadlineMs - deps.clock.monotonicMs() >= limits.attemptTimeoutMsMin
  if (!hasTurn || !hasTime) return refusal(504, messages.waitedForTurn)
  let mayArriveUntilMs = 0
  try {
    if (call.operation.retry === 'once' && journalled) await deps.journal.recordIntent(journalled)
    const outcome = await sendWithRetries(call, deadlineMs, deps, trace)
    mayArriveUntilMs = outcome.mayArriveUntilMs
    return outcome.isRefusedInDoubt ? await settleDoubt(call, outcome.answer, deadlineMs, deps, trace) : outcome.answer
  } catch (error) {
    if (!(error instanceof JournalFullError)) throw error
    return refusal(503, messages.cannotRecord)
  } finally {
    turn.release(mayArriveUntilMs)
  }
}
