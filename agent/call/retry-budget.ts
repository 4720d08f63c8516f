import type { Clock } from '../clock/clock.ts'

/** Calls over HTTP that may wait at the same time. More of them would only wait past their deadlines. */
export const callsWaitingMax = 1_024
/** A fifth of the calls, counted whole, because a fifth that is added thirty times is not six. */
const callsForARetry = 5
/** For a platform that is down while nearly no calls come in. */
const retriesPerS = 10

/**
 * Limits the retries of all calls together: a share of the calls made, plus a number each second. So the clients of a
 * platform that is down do not flood it.
 */
export class RetryBudget {
  readonly #clock: Clock
  #callsUnspent = 0
  #fromTime: number = retriesPerS
  #filledAtMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#filledAtMs = clock.monotonicMs()
  }

  /** Adds the share of one call. */
  countCall(): void {
    this.#callsUnspent = Math.min(this.#callsUnspent + 1, callsWaitingMax)
  }

  /** Takes one retry from the budget. @returns false when there is none left. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs()
    const earned = ((nowMs - this.#filledAtMs) / 1000) * retriesPerS
    this.#fromTime = Math.min(this.#fromTime + earned, retriesPerS)
    this.#filledAtMs = nowMs
    if (this.#fromTime >= 1) this.#fromTime -= 1
    else if (this.#callsUnspent >= callsForARetry) this.#callsUnspent -= callsForARetry
    else return false
    return true
  }
}
