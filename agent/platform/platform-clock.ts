import type { Clock } from '../clock/clock.ts'
import { agentLimits } from '../config/agent-limits.ts'

/** A `Date` header has whole seconds: the platform's clock stood somewhere in the second that it names. */
const dateResolutionMs = 1_000

/**
 * The platform's time, as far as its answers tell it. A host whose clock is wrong would have every envelope refused;
 * so the agent signs by its own clock plus the offset that the platform's `Date` headers show.
 *
 * @see docs/decisions/0021
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

  /** How long it is until a moment (Unix ms) of the platform's clock, at least; that clock may be ahead of `nowMs`. */
  msUntilAtLeast(momentMs: number): number {
    return Math.max(0, momentMs - this.nowMs() - agentLimits.clockOffsetMsTolerated - dateResolutionMs)
  }

  /** How far the host's clock is behind the platform's, in ms, by the last answer; undefined before the first. */
  get offsetMs(): number | undefined {
    return this.#isKnown ? this.#offsetMs : undefined
  }

  /** The offset that is signed by, in ms; 0 before the first answer. */
  get appliedOffsetMs(): number {
    return this.#offsetMs
  }

  /**
   * Takes note of an answer's `Date`: the platform read its clock between the request and now.
   *
   * @param elapsedMs Since the attempt began.
   * @param signedOffsetMs What the attempt was signed by: another answer may have set the clock right meanwhile.
   * @returns true when the attempt was signed by a time that is off by more than `agentLimits.clockOffsetMsTolerated`.
   */
  observe(dateHeader: string | undefined, elapsedMs: number, signedOffsetMs: number): boolean {
    const dateMs = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader)
    if (Number.isNaN(dateMs)) return false
    this.#isKnown = true
    const offsetMsMin = dateMs - this.#clock.wallMs()
    const offsetMsMax = offsetMsMin + dateResolutionMs + elapsedMs
    const nearest = (offsetMs: number) => Math.min(Math.max(offsetMs, offsetMsMin), offsetMsMax)
    const isOff = (offsetMs: number) => Math.abs(offsetMs - nearest(offsetMs)) > agentLimits.clockOffsetMsTolerated
    if (isOff(this.#offsetMs)) this.#offsetMs = nearest(this.#offsetMs)
    return isOff(signedOffsetMs)
  }
}
