import type { EnvelopeOperation, OrdersOperation, VerifyOperation } from '../../contract/operations.ts'
import { StoreFullError, StoreUnreachableError } from '../database/store-errors.ts'
import { causeOf } from '../durable-files/system-errors.ts'
import { type CallAnswer, type CallRefusal, inDoubt, refuse, refuseForBug, refuseInDoubt } from './answer.ts'
import { type Call, isOnce, type PlatformCall } from './call.ts'
import type { Claim, IdempotencyJournal, JournalledCall } from './idempotency-journal.ts'
import { keepMs } from './keep.ts'
import type { Repairs } from './repairs.ts'
import {
  assertMayBegin,
  attemptTimeoutMsMin,
  mayBeSentBefore,
  type Outcome,
  refusalOfUnsent,
  type SendDeps,
  sendWithRetries,
} from './send-with-retries.ts'
import { settleDoubt } from './settle-doubt.ts'
import type { SingleFlight } from './single-flight.ts'
import { type CallTrace, newTrace } from './trace.ts'
import type { Turn, Turns } from './turn.ts'

/** The parts on the path of a call. */
export interface CallDeps {
  readonly callDeadlineMs: number
  readonly singleFlight: SingleFlight
  readonly turns: Turns
  readonly journal: IdempotencyJournal
  readonly sending: SendDeps
  readonly repairs: Pick<Repairs, 'leave' | 'end'>
  readonly local: LocalOperations
  readonly reports: CallReports
  /** Called at the end of every call. */
  readonly onDone: (call: Call, answer: CallAnswer, trace: CallTrace, durationMs: number) => void
  /** Called with an error that is a fault of the agent itself. */
  readonly onError: (call: Call, error: unknown) => void
}

/** The operations that send nothing. */
export interface LocalOperations {
  readonly sealEnvelope: (call: Call<EnvelopeOperation>) => Promise<CallAnswer>
  readonly verifyWebhook: (call: Call<VerifyOperation>) => Promise<CallAnswer>
  readonly answerOrders: (call: Call<OrdersOperation>) => Promise<CallAnswer>
}

/** Learns from calls that are sent. A stored answer or a shared one is not reported again. */
export interface CallReports {
  /**
   * A call begins to wait for its turn. Its input is as old as this moment, however late it leaves.
   *
   * @param mark Of the stock in a call of the agent's own. The call is as old as that stock.
   */
  join(call: PlatformCall, mark?: number): void
  /**
   * A call is about to leave.
   *
   * @param lateUntilMs Monotonic time after which none of its attempts can reach the platform.
   * @throws {StoreFullError} It could not be noted. The call must not be sent.
   * @throws {StoreUnreachableError} The same.
   */
  begin(call: PlatformCall, lateUntilMs: number): Promise<void>
  /**
   * The call was answered. The answer does not change, whatever this throws.
   *
   * @param lateUntilMs Monotonic time until which an abandoned attempt may still reach the platform; 0 without such an attempt.
   */
  end(call: PlatformCall, answer: CallAnswer, lateUntilMs: number): Promise<void>
}

/** One call on its way through this page. */
interface Run {
  readonly call: Call
  /** The call as the journal knows it; undefined for a call without an id. */
  readonly keyed: JournalledCall | undefined
  readonly turn: Turn
  readonly deadlineMs: number
  readonly trace: CallTrace
  readonly deps: CallDeps
}

/**
 * One call, plain JSON in and out, whichever interface brought it. Everything that can end it is on this page. Never
 * throws: a fault of the agent itself is an answer too.
 *
 * @param turn From `takeTurn`, taken when the call arrived. It is released at the end, however the call ends.
 */
export async function answerCall(call: Call, turn: Turn, deps: CallDeps): Promise<CallAnswer> {
  const { id, fingerprint, operationName } = call
  const keyed = id === undefined || fingerprint === undefined ? undefined : { id, fingerprint, operationName }
  const { clock } = deps.sending
  const startedMs = clock.monotonicMs()
  const trace = newTrace()
  const answer = await answerOnce({ call, keyed, turn, deadlineMs: startedMs + deps.callDeadlineMs, trace, deps })
  turn.release()
  deps.onDone(call, answer, trace, clock.monotonicMs() - startedMs)
  return answer
}

/**
 * An id is answered once: an equal call under way shares its answer. If a different call is under way, the journal says
 * which of the two has the id.
 */
async function answerOnce(run: Run): Promise<CallAnswer> {
  const { call, keyed, turn, trace, deps } = run
  if (call.inputError !== undefined) return refuse('INPUT_INVALID', { inWords: call.inputError })
  if (!keyed) return execute(run)
  const { id, fingerprint } = keyed
  const underWay = deps.singleFlight.find(id)
  if (!underWay)
    return deps.singleFlight.run(id, fingerprint, (onHasId) =>
      answerOrBreak(run, () => answerKeyed(run, keyed, onHasId)),
    )
  if (underWay.fingerprint !== fingerprint) return (await underWay.hasId) ? refuseReused(call) : answerOnce(run)
  // The call under way may wait behind this turn.
  turn.release()
  trace.source = 'shared'
  return underWay.answer
}

/** The only call under way with its id. */
async function answerKeyed(run: Run, keyed: JournalledCall, onHasId: () => void): Promise<CallAnswer> {
  const { call, trace, deps } = run
  const claim = await claimId(run, keyed)
  if ('ok' in claim) return claim
  if (claim.kind !== 'own' && claim.fingerprint !== keyed.fingerprint) return refuseReused(call)
  onHasId()
  if (claim.kind === 'under-way') return refuseInDoubt('CALL_UNDER_WAY')
  const again = claim.kind === 'stored' ? replay(call, claim.answer, deps) : undefined
  if (again) {
    trace.source = 'stored'
    if (call.claimedBefore) await deps.journal.restartWindow(keyed.id, again)
    return again
  }
  const mayBeForgotten = call.claimedBefore === 'elsewhere' || call.claimedBefore === 'long-ago'
  if (mayBeForgotten && isOnce(call)) return storeAnswer(run, keyed, inDoubt)
  return storeAnswer(run, keyed, await execute(run))
}

/** Another call has the id. The journal no longer says whether a former agent has sent a request that it claimed. */
function refuseReused({ claimedBefore, operation }: Call): CallRefusal {
  return claimedBefore !== undefined && canAct(operation) ? inDoubt : refuse('ID_REUSED')
}

/** Whether the platform changes something when such a call is sent. */
function canAct(operation: Call['operation']): boolean {
  return operation.kind === 'platform' && operation.retry !== 'safe'
}

/** Makes the id this call's own, or finds what another call has left. A refusal if that cannot be known. */
async function claimId(
  { call, turn, deadlineMs, trace, deps }: Run,
  keyed: JournalledCall,
): Promise<Claim | CallRefusal> {
  const { journal } = deps
  try {
    // A request claimed by another journal may only match a live entry: an expired one belongs to an earlier call that reused the id.
    const mayBeKnown = call.claimedBefore === 'here' || call.claimedBefore === 'long-ago'
    const unanswered = mayBeKnown ? await journal.findUnanswered(keyed.id) : undefined
    return unanswered ? { kind: 'stored', ...unanswered } : await journal.claim(keyed, turn, deadlineMs)
  } catch (error) {
    if (!(error instanceof StoreUnreachableError)) throw error
    reportNotStored(error, call, trace, deps)
    // Perhaps an equal call was sent before, by this agent or by another one.
    return isOnce(call)
      ? refuseInDoubt('STORE_UNREACHABLE', { mayHaveActed: true })
      : refusalOfUnsent(call, 'STORE_UNREACHABLE')
  }
}

/**
 * The stored answer of an equal call, marked as replayed; undefined where it must not be given again. A request that a
 * former agent claimed was not answered yet: it gets its first answer, without the mark.
 */
function replay(call: Call, answer: CallAnswer, { sending: { platformClock } }: CallDeps): CallAnswer | undefined {
  if (call.claimedBefore) return answer
  // The platform's time may have moved since the answer was stored.
  return keepMs(call.operation, answer, platformClock) > 0 ? { ...answer, replayed: true } : undefined
}

/**
 * Stores an answer before it is given. A `once` call whose answer cannot be stored is in doubt, as after a restart. An envelope
 * that cannot be stored is not given: the same id would get another one, and a game client could act with both.
 *
 * @throws What storing an envelope throws.
 */
async function storeAnswer(run: Run, keyed: JournalledCall, answer: CallAnswer): Promise<CallAnswer> {
  const { call, deadlineMs, trace, deps } = run
  const keptMs = keepMs(call.operation, answer, deps.sending.platformClock)
  try {
    if (keptMs > 0) await deps.journal.recordAnswer(keyed, answer, keptMs, deadlineMs)
    else await deps.journal.release(keyed)
    return answer
  } catch (error) {
    trace.isKept = false
    if (call.operation.kind === 'envelope' && answer.ok) throw error
    reportNotStored(error, call, trace, deps)
    return isOnce(call) && keptMs > 0 ? inDoubt : answer
  }
}

function execute(run: Run): Promise<CallAnswer> {
  const { call, keyed, deps } = run
  switch (call.operation.kind) {
    case 'envelope':
      return answerOrBreak(run, async () => {
        if (keyed) await deps.journal.recordIntent(keyed)
        return deps.local.sealEnvelope(call as Call<EnvelopeOperation>)
      })
    case 'verify':
      return answerOrBreak(run, () => deps.local.verifyWebhook(call as Call<VerifyOperation>))
    case 'orders':
      return answerOrBreak(run, () => deps.local.answerOrders(call as Call<OrdersOperation>))
    case 'platform':
      return answerOrBreak(run, () => executeInTurn(call as PlatformCall, run))
  }
}

/**
 * An unexpected error is an answer too, so that it is stored and shared like every other. A call whose answer
 * could not be stored is refused before it is sent, because its id would act twice.
 */
async function answerOrBreak({ call, trace, deps }: Run, act: () => Promise<CallAnswer>): Promise<CallAnswer> {
  try {
    return await act()
  } catch (error) {
    reportNotStored(error, call, trace, deps)
    if (error instanceof StoreFullError) return refusalOfUnsent(call, 'JOURNAL_FULL')
    if (error instanceof StoreUnreachableError && trace.attempts === 0)
      return refusalOfUnsent(call, 'STORE_UNREACHABLE')
    return refuseForBug((trace.attempts > 0 && canAct(call.operation)) || mayBeSentBefore(call))
  }
}

/** A store that is full or away is a fact of the call. Everything else is a bug of the agent. */
function reportNotStored(error: unknown, call: Call, trace: CallTrace, deps: CallDeps): void {
  const isFull = error instanceof StoreFullError
  if (!isFull && !(error instanceof StoreUnreachableError)) return void deps.onError(call, error)
  trace.fault = isFull ? 'journal-full' : 'store-unreachable'
  trace.cause = causeOf(error)
}

/** An older observation never overtakes a newer one, and the intent of a `once` call is stored before it leaves. */
async function executeInTurn(call: PlatformCall, { keyed, turn, deadlineMs, trace, deps }: Run): Promise<CallAnswer> {
  const hasTurn = await turn.wait(deadlineMs)
  const hasTime = deadlineMs - deps.sending.clock.monotonicMs() >= attemptTimeoutMsMin
  if (!hasTurn || !hasTime) return refusalOfUnsent(call, 'EARLIER_CALL_UNFINISHED')
  try {
    // Before anything is noted about the call.
    assertMayBegin(call, deps.sending)
    if (keyed) await deps.journal.recordIntent(keyed)
    await deps.reports.begin(call, deadlineMs + deps.sending.partnerApi.attemptLifetimeMs)
    const outcome = await send(call, deadlineMs, deps, trace)
    const answer = outcome.refusedInDoubt
      ? await settleDoubt(call, outcome.answer, deadlineMs, deps.sending, trace)
      : outcome.answer
    await reportEnd(call, answer, outcome.lateUntilMs, trace, deps)
    return answer
  } finally {
    turn.release()
  }
}

/** Nothing waits for an attempt that was abandoned: what it may spoil is repaired. */
async function send(call: PlatformCall, deadlineMs: number, deps: CallDeps, trace: CallTrace): Promise<Outcome> {
  await deps.repairs.leave(call)
  trace.source = 'platform'
  let outcome: Outcome | undefined
  try {
    outcome = await sendWithRetries(call, deadlineMs, deps.sending, trace)
    return outcome
  } finally {
    await deps.repairs.end(call, outcome)
  }
}

async function reportEnd(
  call: PlatformCall,
  answer: CallAnswer,
  lateUntilMs: number,
  trace: CallTrace,
  deps: CallDeps,
): Promise<void> {
  try {
    await deps.reports.end(call, answer, lateUntilMs)
  } catch (error) {
    reportNotStored(error, call, trace, deps)
  }
}
