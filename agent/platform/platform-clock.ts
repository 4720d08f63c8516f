import type { Clock } from '../clock/clock.ts'

/** Far below the shortest life of an attempt's envelope, above what a `Date` in whole seconds leaves open. */
export const clockOffsetMsTolerated = 2_000
/** A `Date` header has whole seconds, so the platform's clock was somewhere within that second. */
const dateResolutionMs = 1_000

/**
 * How far the agent may be ahead of the platform's clock and not notice it, in ms. The longer an answer took, the less its
 * `Date` shows.
 */
export function clockLeadMsMax(attemptTimeoutMs: number): number {
  return clockOffsetMsTolerated + dateResolutionMs + attemptTimeoutMs
}

/**
 * The platform's time, as far as its answers show it. If the host's clock is wrong, the platform refuses every envelope.
 * So the agent adds the offset that the `Date` headers show to its own clock.
 *
 * @see docs/decisions/0021
 */
export class PlatformClock {
  readonly #clock: Clock
  #offsetMs = 0
  readonly #onChange: (offsetMs: number | undefined) => void
  #isKnown = false

  /** @param onChange Called with the offset when the host's clock must be corrected, and with undefined when no longer. */
  constructor(clock: Clock, onChange: (offsetMs: number | undefined) => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** The platform's Unix time in ms. */
  nowMs(): number {
    return this.#clock.wallMs() + this.#offsetMs
  }

  /** The shortest possible time until a moment (Unix ms) of the platform's clock, which may be ahead of `nowMs`. */
  msUntilAtLeast(momentMs: number): number {
    return Math.max(0, momentMs - this.nowMs() - clockOffsetMsTolerated - dateResolutionMs)
  }

  /** How far the host's clock is behind the platform's, in ms; undefined before the first answer. */
  get offsetMs(): number | undefined {
    return this.#isKnown ? this.#offsetMs : undefined
  }

  /** The offset that signatures use, in ms; 0 before the first answer. */
  get appliedOffsetMs(): number {
    return this.#offsetMs
  }

  /**
   * Corrects the offset by the `Date` of an answer. The platform read its clock between the request and now.
   *
   * @param elapsedMs The time since the attempt began.
   * @param signedOffsetMs The offset in the attempt's signature. Another answer may have corrected the clock since.
   * @returns Whether the signature's time was off by more than `clockOffsetMsTolerated`.
   */
  observe(dateHeader: string | undefined, elapsedMs: number, signedOffsetMs: number): 'right' | 'off' | 'not-known' {
    const dateMs = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader)
    if (Number.isNaN(dateMs)) return 'not-known'
    this.#isKnown = true
    const offsetMsMin = dateMs - this.#clock.wallMs()
    const offsetMsMax = offsetMsMin + dateResolutionMs + elapsedMs
    const nearest = (offsetMs: number) => Math.min(Math.max(offsetMs, offsetMsMin), offsetMsMax)
    const isOff = (offsetMs: number) => Math.abs(offsetMs - nearest(offsetMs)) > clockOffsetMsTolerated
    if (isOff(this.#offsetMs)) {
      const wasCorrected = isCorrection(this.#offsetMs)
      this.#offsetMs = nearest(this.#offsetMs)
      if (isCorrection(this.#offsetMs) !== wasCorrected) this.#onChange(wasCorrected ? undefined : this.#offsetMs)
    }
    return isOff(signedOffsetMs) ? 'off' : 'right'
  }
}

function isCorrection(offsetMs: number): boolean {
  return Math.abs(offsetMs) > clockOffsetMsTolerated
}
