import { limits } from '../../contract/limits.ts'
import type { Clock } from '../clock.ts'

/**
 * The platform's time, as far as its answers tell it. A host whose clock is wrong would have every envelope refused;
 * so the agent signs by its own clock plus the offset that the platform's `Date` headers show.
 */
export class PlatformClock {
  readonly #clock: Clock
  #offsetMs = 0
  #isKnown = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The platform's Unix time in ms. */
  nowMs(): number {
    return this.#clock.wallMs() + this.#offsetMs
  }

  /** How far the host's clock is behind the platform's, in ms, by the last answer; undefined before the first. */
  get offsetMs(): number | undefined {
    return this.#isKnown ? this.#offsetMs : undefined
  }

  /**
   * Takes note of an answer's `Date`.
   *
   * @returns true when it showed the corrected clock off by more than `limits.clockOffsetMsTolerated`, and set it right.
   */
  observe(dateHeader: string | undefined): boolean {
    const dateMs = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader)
    if (Number.isNaN(dateMs)) return false
    this.#isKnown = true
    const differenceMs = dateMs - this.nowMs()
    if (Math.abs(differenceMs) <= limits.clockOffsetMsTolerated) return false
    this.#offsetMs += differenceMs
    return true
  }
}
