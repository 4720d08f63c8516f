import { limits } from '../../contract/limits.ts'
import { stubLimits } from '../store/stub-limits.ts'

/** How long one attempt may take, in real time. */
export interface Patience {
  /** For everything between the receiver and us. */
  readonly timeoutMs: number
  /** The longest that a fault may put it off. */
  readonly faultDelayMsMax: number
}

/** Day by day. @see interface section 6 */
export const everydayPatience: Patience = {
  timeoutMs: limits.webhookTimeoutMs,
  faultDelayMsMax: stubLimits.faultDelayMsMax,
}

/** On a journey of the clock, whose end somebody waits for. @see docs/decisions/0012 */
export const travelPatience: Patience = {
  timeoutMs: stubLimits.travelAttemptTimeoutMs,
  faultDelayMsMax: stubLimits.travelAttemptTimeoutMs,
}
