import { type PartnerRequest, requestOf } from '../../contract/operations.ts'
import type { Clock } from '../clock/clock.ts'
import { StoreUnreachableError } from '../database/store-errors.ts'
import { type AttemptResult, NotBegunError } from '../platform/attempt-result.ts'
import type { Contact } from '../platform/contact.ts'
import type { PartnerApi } from '../platform/partner-api.ts'
import type { PlatformClock } from '../platform/platform-clock.ts'
import type { AnswerFacts, SignedRoute } from '../platform/problem-of-answer.ts'
import { problemOfFailure } from '../platform/problem-of-failure.ts'
import { type CallAnswer, type CallRefusal, inDoubt, refuse, refuseInDoubt } from './answer.ts'
import { fullJitterDelayMs, retryAfterMs } from './backoff.ts'
import { type Call, orderKeyOf, type PlatformCall } from './call.ts'
import { type Fault, type FaultRow, faultTable, type Verdict } from './fault-table.ts'
import { type AttemptReading, contactSign, readAttempt } from './read-attempt.ts'
import type { RetryBudget } from './retry-budget.ts'
import type { CallTrace } from './trace.ts'

/** An attempt with less time than this would rather leave a doubt than an answer. */
export const attemptTimeoutMsMin = 100

export interface SendDeps {
  readonly clock: Clock
  readonly platformClock: PlatformClock
  readonly partnerApi: PartnerApi
  readonly contact: Contact
  readonly route: SignedRoute
  readonly retryBudget: RetryBudget
  readonly random: () => number
  readonly attemptTimeoutMs: number
  /** Called after each attempt, with `ok` or its fault. */
  readonly onAttempt: (operationName: string, result: Fault | 'ok') => void
  /** Whether an attempt of a call with an id or a key may begin. If not, another agent may take over. */
  readonly mayBegin: () => boolean
}

/** How a call ended. */
export interface Outcome {
  readonly answer: CallAnswer
  /**
   * Set when the last attempt was refused and an earlier one may have acted: the truth must still be asked. `of-input`: the
   * platform itself refused this input. `of-attempt`: a proxy's page or a redirect, which say nothing about the earlier
   * attempt.
   */
  readonly refusedInDoubt: 'of-input' | 'of-attempt' | undefined
  /** Monotonic time at which its last attempt began. */
  readonly lastAttemptMs: number
  /** Monotonic time until which an abandoned attempt may still reach the platform; 0 without such an attempt. */
  readonly lateUntilMs: number
}

/**
 * Sends a call until it is answered, refused or out of time. Each attempt has its own envelope. The waits follow full
 * jitter, or the platform's `Retry-After`. This is the only retry loop of the agent.
 *
 * @param deadlineMs Monotonic. The last attempt ends there at the latest.
 * @returns If no attempt could begin, the refusal of a call that was not sent.
 */
export async function sendWithRetries(
  call: PlatformCall,
  deadlineMs: number,
  deps: SendDeps,
  trace: CallTrace,
): Promise<Outcome> {
  const { clock, platformClock, retryBudget } = deps
  const request: PartnerRequest = requestOf(call.operation, call.input)
  const isInDoubt = mayBeSentBefore(call)
  const state = { isInDoubt, lateUntilMs: 0, wasClockSet: false, wasTriedFresh: false }
  const hasTimeFor = (delayMs: number) => clock.monotonicMs() + delayMs + attemptTimeoutMsMin <= deadlineMs
  const timesOf = (lastAttemptMs: number) => ({ lastAttemptMs, lateUntilMs: state.lateUntilMs })
  retryBudget.countCall()

  let outcome: Outcome = {
    answer: refusalOfUnsent(call, 'STORE_UNREACHABLE'),
    refusedInDoubt: undefined,
    ...timesOf(0),
  }
  for (let retries = 0; ; retries++) {
    const startedMs = clock.monotonicMs()
    const timeoutMs = Math.max(1, Math.min(deps.attemptTimeoutMs, deadlineMs - startedMs))
    const attempted = await attemptOnce(call, request, timeoutMs, deps, state.wasClockSet).catch((error: unknown) =>
      ifNotBegun(error, trace),
    )
    if (!attempted) {
      if (trace.attempts === 0) trace.fault = 'store-unreachable'
      return outcome
    }
    trace.attempts++
    const { result, reading, isClockCorrected } = attempted
    deps.onAttempt(call.operationName, nameOf(reading))
    if (reading.ok) return { answer: reading.answer, refusedInDoubt: undefined, ...timesOf(startedMs) }

    trace.fault = reading.fault
    trace.cause = causeOf(result, deps.route)
    const row = faultTable[reading.fault]
    if (row.mayHaveActed && call.operation.retry !== 'safe') state.isInDoubt = true
    if (row.mayStillArrive) state.lateUntilMs = startedMs + deps.partnerApi.attemptLifetimeMs

    const verdict = row[call.operation.retry]
    const answer = finalAnswer(reading, state.isInDoubt)
    outcome = { answer, refusedInDoubt: howRefused(reading, verdict, state.isInDoubt), ...timesOf(startedMs) }
    if (isClockCorrected && hasTimeFor(0)) {
      // The envelope was refused only for its times, so nothing was done. It is signed again by the platform's clock.
      state.wasClockSet = true
      continue
    }
    const mayRetry = verdict === 'retry' || (verdict === 'retry-once' && !state.wasTriedFresh)
    if (verdict === 'retry-once') state.wasTriedFresh = true
    trace.retryAfterMs = askedDelayMs(row, result, platformClock)
    // A moment that is over asks for no wait. Without one, every client of a proxy with an old date would come at once.
    const delayMs = trace.retryAfterMs || fullJitterDelayMs(retries, deps.random)
    if (!mayRetry || !hasTimeFor(delayMs) || !retryBudget.take()) return outcome
    trace.retryDelaysMs.push(Math.round(delayMs))
    await clock.sleep(delayMs)
  }
}

/**
 * One attempt, and what it shows about the platform's clock and the way there.
 *
 * @param wasClockSet An attempt before it was refused for its time.
 * @throws {StoreUnreachableError} It may not begin. Nothing was sent.
 * @returns With `isClockCorrected` it was refused for its time only, and the next one is signed by the platform's clock.
 */
export async function attemptOnce(
  call: PlatformCall,
  request: PartnerRequest,
  timeoutMs: number,
  deps: Pick<SendDeps, 'clock' | 'platformClock' | 'partnerApi' | 'contact' | 'route' | 'mayBegin'>,
  wasClockSet = false,
) {
  const { clock, platformClock } = deps
  const startedMs = clock.monotonicMs()
  const signedOriginMs = platformClock.originMs
  const result = await deps.partnerApi.attempt(call.operation, request, timeoutMs, () => assertMayBegin(call, deps))
  const date = result.kind === 'answered' ? result.date : undefined
  const signedClock = platformClock.observe(date, clock.monotonicMs() - startedMs, signedOriginMs)
  const reading = readAttempt(call, result)
  const isClockCorrected = isRefusedForItsTime(reading, signedClock) && !wasClockSet
  const sign = contactSign(result, reading, signedClock, deps.route)
  if (sign && !isClockCorrected) deps.contact.observe(sign, startedMs)
  return { result, reading, isClockCorrected }
}

/**
 * Asserts that an attempt of a call may begin now. One without an id and a key has nothing to do with other agents.
 *
 * @throws {StoreUnreachableError} Another agent may take over.
 */
export function assertMayBegin(call: PlatformCall, deps: Pick<SendDeps, 'mayBegin'>): void {
  const concernsOthers = call.id !== undefined || orderKeyOf(call) !== undefined
  if (concernsOthers && !deps.mayBegin())
    throw new StoreUnreachableError('the lease of this agent was not renewed in time')
}

/**
 * The answer to a call that this agent has not sent.
 *
 * @param code Why. Its text may say that nothing was sent, so a call that a former agent may have sent gets another one.
 */
export function refusalOfUnsent(
  call: Call,
  code: 'STORE_UNREACHABLE' | 'JOURNAL_FULL' | 'EARLIER_CALL_UNFINISHED',
): CallRefusal {
  return mayBeSentBefore(call) ? inDoubt : refuse(code)
}

/** A former agent may have sent the request that it claimed. A `once` call that it sent is in the journal instead. */
export function mayBeSentBefore({ claimedBefore, operation }: Call): boolean {
  return claimedBefore !== undefined && operation.kind === 'platform' && operation.retry === 'idempotent'
}

function causeOf(result: AttemptResult, route: SignedRoute): string {
  if (result.kind === 'answered') return `HTTP ${result.status}`
  return result.cause instanceof NotBegunError ? result.cause.message : problemOfFailure(result, route).problem
}

/** The lease ran out before the attempt could begin, so it does not count. An attempt that a bug ended may have been sent. */
function ifNotBegun(error: unknown, trace: CallTrace): undefined {
  if (error instanceof StoreUnreachableError) return
  trace.attempts++
  throw error
}

/** Whether the platform itself refused this input. A proxy's page is not the platform's word. */
export function isInputRefused(reading: AttemptReading): boolean {
  return !reading.ok && faultTable[reading.fault].isStored && reading.isOnContract
}

function howRefused(reading: AttemptReading, verdict: Verdict, isInDoubt: boolean): Outcome['refusedInDoubt'] {
  if (!isInDoubt || verdict !== 'refuse') return undefined
  return isInputRefused(reading) ? 'of-input' : 'of-attempt'
}

function nameOf(reading: AttemptReading): Fault | 'ok' {
  return reading.ok ? 'ok' : reading.fault
}

function isRefusedForItsTime(reading: AttemptReading, signedClock: AnswerFacts['clock']): boolean {
  return !reading.ok && reading.fault === 'unauthorized' && signedClock === 'off'
}

/** "Nothing was sent" is true of the last attempt only. If an earlier one is in doubt, the call is in doubt. */
function finalAnswer(reading: AttemptReading & { ok: false }, isInDoubt: boolean): CallAnswer {
  if (isInDoubt && reading.fault === 'not-sent') return refuseInDoubt('NO_ANSWER', { mayHaveActed: true })
  return { ...reading.answer, uncertain: isInDoubt }
}

/** The wait that the platform asks for, where its answer may ask for one. */
function askedDelayMs(row: FaultRow, result: AttemptResult, platformClock: PlatformClock): number | undefined {
  return row.hasRetryAfter && result.kind === 'answered'
    ? retryAfterMs(result.retryAfter, platformClock.nowMs())
    : undefined
}
