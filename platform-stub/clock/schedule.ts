import { stubLimits } from '../store/stub-limits.ts'
import type { StubClock } from './clock.ts'
import { isMoment } from './iso.ts'

/** What the schedule does: it follows the clock, travels to a moment (Unix ms), or does nothing. */
export type Mode =
  | { readonly kind: 'following' }
  | { readonly kind: 'travelling'; readonly targetMs: number }
  | { readonly kind: 'paused' }

/** Work that comes due by the stub's clock. */
export interface DueWork {
  /** Does everything that is due now, or starts it. False where the store refused: it is still due. */
  run(mode: Mode): boolean
  /** The first moment after now at which something is due, Unix ms; null for none. */
  nextMs(): number | null
}

/** Due work that takes time: attempts, which go on after `run` has started them. */
export interface DueAttempts extends DueWork {
  /** Starts none until the next `run`. */
  pause(): void
  isIdle(): boolean
  /** Resolves when none is under way. */
  settle(): Promise<void>
  /** Ends those under way. @param failure What they failed of. */
  breakOff(failure: string): void
}

/** What the schedule runs. */
export interface ScheduleParts {
  readonly clock: StubClock
  readonly moves: DueWork
  readonly attempts: DueAttempts
  /** Work for which no clock jump stops on its way. */
  readonly upkeep: DueWork
  /** Writes how far the clock has travelled. False where the store refused. */
  readonly storeOffset: () => boolean
  readonly onError: (error: unknown) => void
}

/** Where a clock jump leads: back to the machine's time, or to a moment that may follow from the present one. */
export type Target = 'machine-time' | { readonly momentMs: (nowMs: number) => number }

/** How a clock jump ended. `store-refused` and `broken-off` end it where it was; `out-of-range` did not begin. */
export type TravelEnd = 'arrived' | 'broken-off' | 'store-refused' | 'out-of-range'

const brokenOffByReset = 'broken off by a reset'
const brokenOffByTravel = `no complete answer within the ${stubLimits.travelAttemptTimeoutMs} ms of a clock jump`

/**
 * Everything that comes due in the platform, with one alarm: moves of transactions, then webhook attempts, then upkeep.
 * Following, it does what is due as time passes. Travelling, it goes from one due moment to the next and waits at each
 * until all of it is done.
 */
export class Schedule {
  readonly #parts: ScheduleParts
  #mode: Mode = { kind: 'paused' }
  #isStopped = false
  #isRunning = false
  #cancelAlarm: () => void = () => undefined
  /** Clock jumps and resets follow one another; ends with the last one. */
  #turns: Promise<unknown> = Promise.resolve()
  /** Breaks off the clock jumps that were asked for so far. */
  #breaker = new AbortController()

  constructor(parts: ScheduleParts) {
    this.#parts = parts
  }

  /** Follows the clock from now on. What came due before is done at once, and once. */
  start(): void {
    if (this.#isStopped) return
    this.#mode = { kind: 'following' }
    this.wake()
  }

  /** Does what is due and sets the alarm anew. Called when something was written that has a due time. */
  wake(): void {
    // The work itself writes what is due, and would wake the schedule again.
    if (this.#mode.kind !== 'following' || this.#isRunning) return
    const isDone = this.#runAll()
    this.#cancelAlarm()
    const inMs = isDone ? this.#untilNextMs() : stubLimits.storeRetryMs
    this.#cancelAlarm = this.#parts.clock.after(inMs, () => this.wake())
  }

  /** Does nothing more; breaks a clock jump off where it is and waits for the attempts under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#breakOffTravels()
    await this.#turns
    await this.#pause()
  }

  /**
   * Moves the stub's time. On the way forward everything that is due is done in order, each at its own moment, and what
   * that causes too; the way back does nothing. Resolves when all of it is done. Clock jumps follow one another; the one
   * to the machine's time breaks off those before it.
   */
  travel(target: Target): Promise<TravelEnd> {
    if (target === 'machine-time') this.#breakOffTravels()
    const { signal } = this.#breaker
    return this.#inTurn(() => this.#travelNow(target, signal))
  }

  /** Runs `work` while nothing that is due is done. What is under way is broken off for it. */
  reset(work: () => void): Promise<void> {
    this.#breakOffTravels()
    this.#parts.attempts.breakOff(brokenOffByReset)
    return this.#inTurn(async () => {
      await this.#pause({ patienceMs: 0, failure: brokenOffByReset })
      try {
        work()
      } finally {
        this.start()
      }
    })
  }

  #runAll(): boolean {
    const { moves, attempts, upkeep, onError } = this.#parts
    this.#isRunning = true
    try {
      return [moves, attempts, upkeep].map((work) => work.run(this.#mode)).every((isDone) => isDone)
    } catch (error) {
      onError(error)
      return false
    } finally {
      this.#isRunning = false
    }
  }

  #untilNextMs(): number {
    const { clock, moves, attempts, upkeep } = this.#parts
    const inMs = earliest([moves, attempts, upkeep]) - clock.nowMs()
    return Math.max(0, Math.min(inMs, stubLimits.alarmMsMax))
  }

  #breakOffTravels(): void {
    this.#breaker.abort()
    this.#breaker = new AbortController()
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turns.then(work)
    this.#turns = done.catch(() => undefined)
    return done
  }

  async #travelNow(target: Target, signal: AbortSignal): Promise<TravelEnd> {
    if (signal.aborted) return 'broken-off'
    const { clock, storeOffset } = this.#parts
    await this.#pause({ patienceMs: stubLimits.travelAttemptTimeoutMs, failure: brokenOffByTravel })
    const isHome = target === 'machine-time'
    const targetMs = isHome ? clock.realNowMs() : Math.round(target.momentMs(clock.nowMs()))
    try {
      if (!isMoment(targetMs)) return 'out-of-range'
      const end = await this.#visitDueMoments(targetMs, signal)
      if (isHome && end === 'arrived') clock.runWithOffset(0)
      else clock.runFrom(end === 'arrived' ? targetMs : clock.nowMs())
      return storeOffset() ? end : 'store-refused'
    } finally {
      this.start()
    }
  }

  async #visitDueMoments(targetMs: number, signal: AbortSignal): Promise<TravelEnd> {
    const { clock, moves, attempts, storeOffset } = this.#parts
    this.#mode = { kind: 'travelling', targetMs }
    clock.stopAt(Math.min(clock.nowMs(), targetMs))
    for (;;) {
      if (!(await this.#doAllDue(signal))) return 'store-refused'
      if (signal.aborted) return 'broken-off'
      const nextMs = earliest([moves, attempts])
      if (nextMs > targetMs) return 'arrived'
      clock.stopAt(nextMs)
      // A stub that is killed on the way starts again where it was.
      if (!storeOffset()) return 'store-refused'
    }
  }

  /** Until nothing is due at this moment any more. False where the store refused. */
  async #doAllDue(signal: AbortSignal): Promise<boolean> {
    const { moves, attempts } = this.#parts
    while (!signal.aborted) {
      if (!moves.run(this.#mode) || !attempts.run(this.#mode)) return false
      if (attempts.isIdle()) return true
      await attempts.settle()
    }
    return true
  }

  /**
   * Begins nothing new and waits for what is under way.
   *
   * @param limit How long attempts may still take, and what they fail of then; without it they have their own time.
   */
  async #pause(limit?: { readonly patienceMs: number; readonly failure: string }): Promise<void> {
    const { clock, attempts } = this.#parts
    this.#mode = { kind: 'paused' }
    this.#cancelAlarm()
    attempts.pause()
    const breakOff = (): void => attempts.breakOff(limit?.failure ?? '')
    if (limit?.patienceMs === 0) breakOff()
    const cancel = limit && clock.after(limit.patienceMs, breakOff)
    await attempts.settle()
    cancel?.()
  }
}

function earliest(works: readonly DueWork[]): number {
  return Math.min(...works.map((work) => work.nextMs() ?? Number.POSITIVE_INFINITY))
}
