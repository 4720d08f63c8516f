import type { KeyObject } from 'node:crypto'
import { type EnvelopeOpening, openEnvelope, type ReceivedEnvelope } from '../../contract/envelope/open.ts'
import type { PartnerApi } from '../platform/partner-api.ts'
import type { PlatformClock } from '../platform/platform-clock.ts'

/** How long past its `exp` a webhook still passes, on the corrected clock, whose correction is not exact. */
const webhookLeewayS = 30

/** Checks a webhook by the five steps of the interface's section 5, over its raw bytes. */
export type OpenWebhook = (received: ReceivedEnvelope) => Promise<EnvelopeOpening>

/**
 * Makes the function that checks webhooks. An envelope that fails for its `exp` alone is checked again after the platform
 * was asked for its time: an agent that has sent nothing for long may have a wrong clock, and must not refuse a paid order.
 *
 * @param platformKeys Those in use, by kid. A webhook keeps the ones that it began with.
 */
export function webhookOpener(
  platformKeys: () => ReadonlyMap<string, KeyObject>,
  platformClock: PlatformClock,
  partnerApi: Pick<PartnerApi, 'learnClock'>,
): OpenWebhook {
  return async (received) => {
    const keys = platformKeys()
    const openWith = (leewayS: number) =>
      openEnvelope(received, { keys, nowS: platformClock.nowMs() / 1000, leewayS, request: null })
    const opening = await openWith(webhookLeewayS)
    if (opening.ok || opening.step !== 'expiry' || !(await openWith(Number.POSITIVE_INFINITY)).ok) return opening
    await partnerApi.learnClock()
    return openWith(webhookLeewayS)
  }
}
