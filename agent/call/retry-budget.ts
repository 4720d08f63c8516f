import type { Clock } from '../clock/clock.ts'
import { agentLimits } from '../config/agent-limits.ts'

/** Counted in whole calls, for a fifth added thirty times is not six. */
const callsForARetry = 1 / agentLimits.retryBudgetShare

/**
 * Bounds what all calls together may repeat: a share of the calls made, plus a number a second. A platform that is
 * down for everybody is then not drowned by its own clients.
 */
export class RetryBudget {
  readonly #clock: Clock
  #callsUnspent = 0
  #fromTime: number = agentLimits.retryBudgetPerS
  #filledAtMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#filledAtMs = clock.monotonicMs()
  }

  /** A call was made: its share is added. */
  countCall(): void {
    this.#callsUnspent = Math.min(this.#callsUnspent + 1, agentLimits.callsWaitingMax)
  }

  /** Whether one more retry may be made; it is spent when it may. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs()
    const earned = ((nowMs - this.#filledAtMs) / 1000) * agentLimits.retryBudgetPerS
    this.#fromTime = Math.min(this.#fromTime + earned, agentLimits.retryBudgetPerS)
    this.#filledAtMs = nowMs
    if (this.#fromTime >= 1) this.#fromTime -= 1
    else if (this.#callsUnspent >= callsForARetry) this.#callsUnspent -= callsForARetry
    else return false
    return true
  }
}
