import { limits } from '../../contract/limits.ts'

/**
 * Wait after failure n (1 = first), in ms: 15 s, doubling to 1 h, without end and without jitter. Both the webhooks'
 * retries and the re-sending of an order after `TEMPORARY` follow it.
 *
 * @see interface section 6; docs/decisions/0011
 */
export function backoffMs(failures: number): number {
  const { webhookRetryDelayMsFirst, webhookRetryDelayMsMax } = limits
  return Math.min(webhookRetryDelayMsMax, webhookRetryDelayMsFirst * 2 ** (failures - 1))
}
