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
 * So the agent counts from the moment that the `Date` headers show, by the monotonic clock. If it counted by the wall
 * clock and somebody set that ahead, its envelopes would live too long.
 *
 * @see docs/decisions/0021
 */
export class PlatformClock {
  readonly #clock: Clock
  /** What the platform's clock showed, in Unix ms, when the monotonic clock was at 0. Before the first answer the host's. */
  #originMs: number
  readonly #onChange: (offsetMs: number | undefined) => void
  #isKnown = false
  /** How far the host's clock was behind when `#onChange` was last decided. */
  #judgedOffsetMs = 0

  /** @param onChange Called with the offset when the host's clock is wrong, and with undefined when no longer. */
  constructor(clock: Clock, onChange: (offsetMs: number | undefined) => void) {
    this.#clock = clock
    this.#originMs = clock.wallMs() - clock.monotonicMs()
    this.#onChange = onChange
  }

  /** The platform's Unix time in ms. */
  nowMs(): number {
    return this.#clock.monotonicMs() + this.#originMs
  }

  /** The shortest possible time until a moment (Unix ms) of the platform's clock, which may be ahead of `nowMs`. */
  msUntilAtLeast(momentMs: number): number {
    return Math.max(0, momentMs - this.nowMs() - clockOffsetMsTolerated - dateResolutionMs)
  }

  /** How far the host's clock is behind the platform's, in ms; undefined before the first answer. */
  get offsetMs(): number | undefined {
    return this.#isKnown ? this.#hostOffsetMs() : undefined
  }

  /** The origin by which signatures are made, for `observe`. */
  get originMs(): number {
    return this.#originMs
  }

  /**
   * Corrects the clock by the `Date` of an answer. The platform read its clock between the request and now.
   *
   * @param elapsedMs The time since the attempt began.
   * @param signedOriginMs The origin of the attempt's signature. Another answer may have corrected the clock since.
   * @returns Whether the signature's time was off by more than `clockOffsetMsTolerated`.
   */
  observe(dateHeader: string | undefined, elapsedMs: number, signedOriginMs: number): 'right' | 'off' | 'not-known' {
    const dateMs = dateHeader === undefined ? Number.NaN : Date.parse(dateHeader)
    if (Number.isNaN(dateMs)) return 'not-known'
    this.#isKnown = true
    const originMsMin = dateMs - this.#clock.monotonicMs()
    const originMsMax = originMsMin + dateResolutionMs + elapsedMs
    const nearest = (originMs: number) => Math.min(Math.max(originMs, originMsMin), originMsMax)
    const isOff = (originMs: number) => Math.abs(originMs - nearest(originMs)) > clockOffsetMsTolerated
    if (isOff(this.#originMs)) this.#originMs = nearest(this.#originMs)
    this.#judgeHost()
    return isOff(signedOriginMs) ? 'off' : 'right'
  }

  /** Small differences between the host's two clocks change nothing. */
  #judgeHost(): void {
    const offsetMs = this.#hostOffsetMs()
    if (Math.abs(offsetMs - this.#judgedOffsetMs) < dateResolutionMs) return
    const wasWrong = isCorrection(this.#judgedOffsetMs)
    this.#judgedOffsetMs = offsetMs
    if (isCorrection(offsetMs) !== wasWrong) this.#onChange(wasWrong ? undefined : offsetMs)
  }

  #hostOffsetMs(): number {
    return Math.round(this.nowMs() - this.#clock.wallMs())
  }
}

function isCorrection(offsetMs: number): boolean {
  return Math.abs(offsetMs) > clockOffsetMsTolerated
}
