import type { KeyObject } from 'node:crypto'
import {
  type CheckSignature,
  type EnvelopeError,
  type EnvelopeOpening,
  judgeEnvelopeHead,
  openEnvelope,
  type ReceivedEnvelope,
} from '../../contract/envelope/open.ts'
import type { Clock } from '../clock/clock.ts'
import type { PartnerApi } from '../platform/partner-api.ts'
import type { PlatformClock } from '../platform/platform-clock.ts'

/** Checks a webhook by the five steps of the interface's section 5. */
export interface OpenWebhook {
  /** Judges what can be judged before the body is there; undefined while nothing is wrong. */
  judgeHead(headerLines: readonly string[]): EnvelopeError | undefined
  /** Judges all of it, over its raw bytes. */
  open(received: ReceivedEnvelope): Promise<EnvelopeOpening>
}

/** How long past its `exp` a webhook still passes, on the corrected clock, whose correction is not exact. */
const webhookLeewayS = 30
/** An envelope that expired longer ago is refused whatever the clock says. */
const expiredSMax = 24 * 3_600
/** A stranger who recorded an expired envelope can send it as often as he likes. */
const questionIntervalMs = 10_000

/**
 * Makes the check of webhooks. An envelope that fails only for its `exp` is checked again after the platform was asked
 * for its time: an agent that has sent nothing for long may have a wrong clock and must not refuse a paid order.
 *
 * @param platformKeys Those in use, by kid. A webhook keeps the ones that it began with.
 */
export function webhookOpener(
  platformKeys: () => ReadonlyMap<string, KeyObject>,
  platformClock: PlatformClock,
  partnerApi: Pick<PartnerApi, 'learnClock'>,
  clock: Pick<Clock, 'monotonicMs'>,
  check: CheckSignature,
): OpenWebhook {
  let askedMs = Number.NEGATIVE_INFINITY
  let question: Promise<void> | undefined
  const rules = (leewayS: number) =>
    ({ keys: platformKeys(), nowS: platformClock.nowMs() / 1000, leewayS, request: null }) as const
  return {
    judgeHead(headerLines) {
      const head = judgeEnvelopeHead(headerLines, rules(expiredSMax))
      return 'step' in head ? head : undefined
    },

    async open(received) {
      const opening = await openEnvelope(received, rules(webhookLeewayS), check)
      if (opening.ok || opening.step !== 'expiry') return opening
      const mayAsk = clock.monotonicMs() - askedMs >= questionIntervalMs
      if (!(question || mayAsk) || !(await openEnvelope(received, rules(expiredSMax), check)).ok) return opening
      askedMs = clock.monotonicMs()
      question ??= partnerApi.learnClock().finally(() => {
        question = undefined
      })
      await question
      return openEnvelope(received, rules(webhookLeewayS), check)
    },
  }
}
