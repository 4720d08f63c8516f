import type { Clock } from '../clock/clock.ts'
import { agentLimits } from '../config/agent-limits.ts'

/** Calls are counted whole, because a fifth that is added thirty times is not six. */
const callsForARetry = 1 / agentLimits.retryBudgetShare

/**
 * Limits the retries of all calls together: a share of the calls made, plus a number each second. So the clients of a
 * platform that is down do not flood it.
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

  /** Adds the share of one call. */
  countCall(): void {
    this.#callsUnspent = Math.min(this.#callsUnspent + 1, agentLimits.callsWaitingMax)
  }

  /** Takes one retry from the budget. @returns false when there is none left. */
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
