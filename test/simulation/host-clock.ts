import { ActiveMaximum } from './active-maximum.ts'
import type { Scheduler } from './scheduler.ts'

/** Unix time at the beginning of each run, by a clock that is right. */
export const startOfRunMs = Date.UTC(2026, 0, 1)

/** The clocks of a host: wrong by an offset, too fast or too slow, and set while they run. */
export class HostClock {
  /** When the wall clock was last set: virtual time. */
  lastSetMs: number | undefined
  #wallOffsetMs: number
  /** How much longer than asked a timer may take. */
  readonly lateMsMax = new ActiveMaximum(1)
  readonly #scheduler: Scheduler
  #rate = 1
  /** Where the present rate began: virtual time, and the host's own. */
  #since = { trueMs: 0, hostMs: 0 }

  /** @param wrongByMs Of the wall clock, before anybody sets it. */
  constructor(scheduler: Scheduler, wrongByMs: number) {
    this.#scheduler = scheduler
    this.#wallOffsetMs = wrongByMs
  }

  /** Runs on with the power: since the beginning of the run, by this host's quartz. */
  get monotonicMs(): number {
    return this.#since.hostMs + (this.#scheduler.nowMs - this.#since.trueMs) * this.#rate
  }

  get wallMs(): number {
    return startOfRunMs + this.monotonicMs + this.#wallOffsetMs
  }

  /** Sets the wall clock forward, or back. */
  setWall(byMs: number): void {
    this.#wallOffsetMs += byMs
    this.lastSetMs = this.#scheduler.nowMs
  }

  /** From now on both clocks gain this much; negative if they lose. */
  drift(partsPerMillion: number): void {
    this.#since = { trueMs: this.#scheduler.nowMs, hostMs: this.monotonicMs }
    this.#rate = 1 + partsPerMillion / 1e6
  }

  /** Virtual time until this clock has moved by `delayMs`. */
  trueDelayMs(delayMs: number): number {
    return delayMs / this.#rate
  }
}

/** Whether a wall clock was set at a moment or after it. @param atMs Virtual time. */
export function wasSetSince({ lastSetMs }: Pick<HostClock, 'lastSetMs'>, atMs: number): boolean {
  return lastSetMs !== undefined && lastSetMs >= atMs
}
