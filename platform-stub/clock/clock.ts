/** What the rest of the stub may know about time. */
export interface Clock {
  /** The stub's time: Unix ms. */
  nowMs(): number
  /** Milliseconds for durations; no clock jump moves them. */
  monotonicMs(): number
  /** Runs `wake` after a real duration that no clock jump shortens. Returns its cancellation. */
  after(durationMs: number, wake: () => void): () => void
}

/**
 * The platform's only clock: the machine's, moved by an offset, or stopped at one moment while a clock jump does what is
 * due there. `Date` headers, exp, the memory of jtis and every due time read it.
 *
 * @see docs/decisions/0033
 */
export class StubClock implements Clock {
  readonly #real: RealTime
  #offsetMs: number
  #stoppedAtMs: number | undefined

  constructor(real: RealTime, offsetMs: number) {
    this.#real = real
    this.#offsetMs = offsetMs
  }

  nowMs(): number {
    return this.#stoppedAtMs ?? this.#real.nowMs() + this.#offsetMs
  }

  monotonicMs(): number {
    return this.#real.monotonicMs()
  }

  /** How far the stub's time is from the machine's; 0 when it does not travel. */
  get offsetMs(): number {
    return this.#stoppedAtMs === undefined ? this.#offsetMs : this.#stoppedAtMs - this.#real.nowMs()
  }

  /** Stops the stub's time at one moment. */
  stopAt(atMs: number): void {
    this.#stoppedAtMs = atMs
  }

  /** Lets the stub's time run on from one moment. */
  runFrom(atMs: number): void {
    this.runWithOffset(atMs - this.#real.nowMs())
  }

  /** Lets the stub's time run on at a distance from the machine's; 0 is the machine's own. */
  runWithOffset(offsetMs: number): void {
    this.#stoppedAtMs = undefined
    this.#offsetMs = offsetMs
  }

  after(durationMs: number, wake: () => void): () => void {
    return this.#real.setTimer(durationMs, wake)
  }

  /** Resolves when the event loop has done what waits. */
  nextTurn(): Promise<void> {
    return this.#real.nextTurn()
  }
}

/** The machine's time. Tests put their own in its place. */
export interface RealTime {
  /** Unix time in ms. */
  nowMs(): number
  /** Milliseconds that no change of the machine's clock moves, for durations. */
  monotonicMs(): number
  /** Runs `wake` once after `delayMs`; the timer does not keep the process alive by itself. */
  setTimer(delayMs: number, wake: () => void): () => void
  /** Resolves when the event loop has done what waits: requests, signals, answers of receivers. */
  nextTurn(): Promise<void>
}
