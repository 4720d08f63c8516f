import type { StubClock } from './clock.ts'
import { isMoment } from './iso.ts'

/** How long a jump of the clock waits for a receiver. */
export const travelAttemptTimeoutMs = 2_000
/** An alarm is never set further ahead: the timers of a computer that slept are late. */
const alarmMsMax = 30_000
/** What could not be written is tried again after this. */
const storeRetryMs = 1_000

/** What the schedule does: it follows the clock, travels to a moment (Unix ms), or does nothing. */
export type Mode =
  | { readonly kind: 'following' }
  | { readonly kind: 'travelling'; readonly targetMs: number }
  | { readonly kind: 'paused' }

/** Work that comes due by the stub's clock. */
export interface DueWork {
  /**
   * Does what is due now, or starts it: all of it, or as much as one turn of the event loop allows. False where the store
   * refused: it is still due.
   */
  run(mode: Mode): boolean
  /** The next moment at which something is due, Unix ms; null for none. It is not after now where `run` has left some. */
  nextMs(): number | null
}

/** Due work that takes time: attempts, which continue after `run` has started them. */
export interface DueAttempts extends DueWork {
  /** Starts none until the next `run`. */
  pause(): void
  isIdle(): boolean
  /** Resolves when none is under way. */
  settle(): Promise<void>
  /** Resolves when the attempt of a delivery has ended, one that waits for a slot too; at once where none is due. */
  settleOne(deliveryId: number): Promise<void>
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

/** The moment that a clock jump goes to, Unix ms. It may follow from the present one. */
export type Target = (nowMs: number) => number

/** How a clock jump ended. `store-refused` and `broken-off` end it where it was; `out-of-range` did not begin. */
export type TravelEnd = 'arrived' | 'broken-off' | 'store-refused' | 'out-of-range'

/** A clock jump that is over. */
export interface Travelled {
  readonly end: TravelEnd
  /** The stub's time at that moment, Unix ms. */
  readonly atMs: number
}

const brokenOffByReset = 'broken off by a reset'
const travelPatience = {
  patienceMs: travelAttemptTimeoutMs,
  failure: `no complete answer within the ${travelAttemptTimeoutMs} ms of a clock jump`,
}

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

  /** Follows the clock from now on. Everything that came due before is done at once, and only once. */
  start(): void {
    if (this.#isStopped) return
    this.#mode = { kind: 'following' }
    this.wake()
  }

  /** Does what is due and sets the alarm again. Called when something was written that has a due time. */
  wake(): void {
    // The work itself writes what is due and would wake the schedule again.
    if (this.#mode.kind !== 'following' || this.#isRunning) return
    const isDone = this.#runAll()
    this.#cancelAlarm()
    const inMs = isDone ? this.#untilNextMs() : storeRetryMs
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
   * that causes too; the way back does nothing. Resolves when all of it is done. Clock jumps follow one another.
   */
  travel(target: Target): Promise<Travelled> {
    const { signal } = this.#breaker
    return this.#inTurn(async () => ({ end: await this.#travelNow(target, signal), atMs: this.#parts.clock.nowMs() }))
  }

  /**
   * Goes to the machine's time at once and breaks off the clock jumps before. Everything that is due by then is done as
   * it is after a time in which the stub was down.
   *
   * @returns False where the store refused: the next start is where the stub was.
   */
  goHome(): Promise<boolean> {
    this.#breakOffTravels()
    return this.#inTurn(async () => {
      await this.#pause(travelPatience)
      try {
        this.#parts.clock.runWithOffset(0)
        return this.#parts.storeOffset()
      } finally {
        this.start()
      }
    })
  }

  /** Resolves when the attempt of a delivery has ended, one that waits for a slot too; at once where none is due. */
  settleOne(deliveryId: number): Promise<void> {
    return this.#parts.attempts.settleOne(deliveryId)
  }

  /** Runs `work` while nothing that is due is done. Everything that is under way is broken off for it. */
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
    return Math.max(0, Math.min(inMs, alarmMsMax))
  }

  /** Nothing new begins from here on, so what a clock jump waits for is no more than what is under way. */
  #breakOffTravels(): void {
    this.#breaker.abort()
    this.#breaker = new AbortController()
    this.#beginNothing()
  }

  #beginNothing(): void {
    this.#mode = { kind: 'paused' }
    this.#cancelAlarm()
    this.#parts.attempts.pause()
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turns.then(work)
    this.#turns = done.catch(() => undefined)
    return done
  }

  async #travelNow(target: Target, signal: AbortSignal): Promise<TravelEnd> {
    if (signal.aborted) return 'broken-off'
    const { clock, storeOffset } = this.#parts
    await this.#pause(travelPatience)
    const targetMs = Math.round(target(clock.nowMs()))
    try {
      if (!isMoment(targetMs)) return 'out-of-range'
      const end = await this.#visitDueMoments(targetMs, signal)
      clock.runFrom(end === 'arrived' ? targetMs : clock.nowMs())
      return storeOffset() ? end : 'store-refused'
    } finally {
      // The caller that broke the clock jump off starts the schedule again itself.
      if (!signal.aborted) this.start()
    }
  }

  async #visitDueMoments(targetMs: number, signal: AbortSignal): Promise<TravelEnd> {
    const { clock, moves, attempts, storeOffset } = this.#parts
    this.#mode = { kind: 'travelling', targetMs }
    clock.stopAt(Math.min(clock.nowMs(), targetMs))
    for (;;) {
      const end = await this.#doAllDue(signal)
      if (end !== 'arrived') return end
      const nextMs = earliest([moves, attempts])
      if (nextMs > targetMs) return 'arrived'
      clock.stopAt(nextMs)
      // A stub that is killed on the way starts again where it was.
      if (!storeOffset()) return 'store-refused'
    }
  }

  /** Until nothing is due at this moment any more. Requests are answered meanwhile, however much is due. */
  async #doAllDue(signal: AbortSignal): Promise<TravelEnd> {
    const { clock, moves, attempts } = this.#parts
    for (;;) {
      await clock.nextTurn()
      if (signal.aborted) return 'broken-off'
      if (!moves.run(this.#mode)) return 'store-refused'
      if (earliest([moves]) <= clock.nowMs()) continue
      if (!attempts.run(this.#mode)) return 'store-refused'
      if (attempts.isIdle()) return 'arrived'
      await attempts.settle()
    }
  }

  /**
   * Begins nothing new and waits for what is under way.
   *
   * @param limit How long attempts may still take, and what they fail of then; without it they have their own time.
   */
  async #pause(limit?: { readonly patienceMs: number; readonly failure: string }): Promise<void> {
    const { clock, attempts } = this.#parts
    this.#beginNothing()
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
