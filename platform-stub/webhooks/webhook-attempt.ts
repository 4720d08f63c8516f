import { createPrivateKey } from 'node:crypto'
import type { ProtectedHeader } from '../../contract/envelope/protected-header.ts'
import { limits } from '../../contract/limits.ts'
import { travelAttemptTimeoutMs } from '../clock/schedule.ts'
import { faultDelayMsMax } from '../faults/fault-queue.ts'
import type { Faults } from '../faults/faults.ts'
import { brokenBody, brokenHeader, fits, type WebhookFault, type WebhookFaultKind } from '../faults/webhook-fault.ts'
import type { Directory } from '../marketplace/game-servers/directory.ts'
import type { Platform } from '../marketplace/platform.ts'
import { Refusal } from '../marketplace/refusal.ts'
import type { PlatformKeyRow } from '../store/platform-row.ts'
import type { WebhookDeliveryRow } from '../store/webhook-rows.ts'
import type { AttemptMade } from './outcome.ts'
import { type PostOutcome, type PostWebhook, sentHeaders, type WebhookPost } from './webhook-post.ts'

/** What an attempt reaches into. */
export interface AttemptParts {
  readonly platform: Platform
  readonly directory: Directory
  readonly seal: WebhookSeal
  readonly faults: Faults
  readonly post: PostWebhook
}

/** How long one attempt may take, in real time. */
export interface Patience {
  /** For everything between the receiver and us. */
  readonly timeoutMs: number
  /** The longest that a fault may put it off. */
  readonly faultDelayMsMax: number
}

/** While the schedule follows the clock. @see interface section 6 */
export const everydayPatience: Patience = {
  timeoutMs: limits.webhookTimeoutMs,
  faultDelayMsMax: faultDelayMsMax,
}

/** During a clock jump, which a caller waits for. @see docs/decisions/0033 */
export const travelPatience: Patience = {
  timeoutMs: travelAttemptTimeoutMs,
  faultDelayMsMax: travelAttemptTimeoutMs,
}

/**
 * Makes one attempt of a delivery that is due. A fault may hold the delivery back, put the attempt off, break it, or lose
 * its answer.
 *
 * @param signal Breaks it off: one that is being sent has failed; one that a fault put off is not made and still due. At
 *   the end of the stub it is due when the delay would have been over.
 * @returns What is to be recorded; `not-made` where the delivery is held back, or still due; `store-refused`.
 */
export async function makeAttempt(
  delivery: WebhookDeliveryRow,
  { timeoutMs, faultDelayMsMax }: Patience,
  signal: AbortSignal,
  { platform, directory, seal, faults: { webhook }, post: postWebhook }: AttemptParts,
): Promise<AttemptMade | 'not-made' | 'store-refused'> {
  const { tables, clock } = platform
  const fault = webhook.isEmpty ? undefined : webhook.take((set) => fits(set, delivery.event))
  if (fault?.kind === 'reorder') {
    const isHeld = platform.transact(() => tables.webhooks.holdUntilTerminal(delivery))
    if (isHeld instanceof Refusal) return 'store-refused'
    if (isHeld) return 'not-made'
  }
  if (fault?.kind === 'delay') {
    const leftMs = await webhook.delays.pass(Math.min(fault.delayMs, faultDelayMsMax), signal)
    if (webhook.delays.isEnded) {
      const putOff = platform.transact(() => tables.webhooks.putOff(delivery.id, clock.nowMs() + leftMs))
      return putOff instanceof Refusal ? 'store-refused' : 'not-made'
    }
    if (signal.aborted || tables.webhooks.byId(delivery.id)?.state !== 'pending') return 'not-made'
  }
  const url = directory.byId(delivery.gameServerId)?.webhookUrl
  if (!url) return 'not-made'
  const number = platform.transact(() => tables.webhooks.beginAttempt(delivery.id))
  if (number instanceof Refusal) return 'store-refused'
  const made = { number, at: clock.nowMs(), url, fault: fault?.kind ?? null }
  const stockReportsBefore = tables.listings.ofTransaction(delivery.transactionId)?.stockReports ?? 0
  const { header, signature } = await seal(
    delivery.payload,
    { at: made.at, name: `${delivery.id}:${number}` },
    fault?.kind,
  )
  const startedMs = clock.monotonicMs()
  const post = { url, body: brokenBody(fault?.kind, delivery.payload), signature, timeoutMs, signal }
  const [outcome, ...copies] = await postAll(post, fault, postWebhook)
  const durationMs = Math.round(clock.monotonicMs() - startedMs)
  const protectedHeader = JSON.stringify(header)
  return {
    ...made,
    deliveryId: delivery.id,
    durationMs,
    signature,
    protectedHeader,
    requestHeaders: JSON.stringify(sentHeaders(post)),
    stockReportsBefore,
    outcome,
    copies,
  }
}

/** The attempt's own outcome, then those of the copies that a fault sends along. */
async function postAll(
  post: WebhookPost,
  fault: WebhookFault | undefined,
  postWebhook: PostWebhook,
): Promise<[PostOutcome, ...PostOutcome[]]> {
  const copies = fault?.kind === 'duplicate' ? fault.copies : 0
  const own = postWebhook(post)
  const others = Array.from({ length: copies }, () => postWebhook(post))
  const [outcome, ...rest] = await Promise.all([own, ...others])
  const isLost = fault?.kind === 'drop-response' && outcome.kind === 'answer'
  return [isLost ? { kind: 'failure', failure: `answer ${outcome.status} dropped by a fault` } : outcome, ...rest]
}

/** What signs webhooks. */
export type WebhookSeal = ReturnType<typeof webhookSeal>

/** Signs webhooks with the platform's key, each attempt again: the jti and the five minutes are the attempt's own. */
export function webhookSeal({ random, signing }: Platform, platformKey: () => Promise<PlatformKeyRow>) {
  const loadSigningKey = async () => {
    const { kid, privateKeyPem } = await platformKey()
    return { kid, key: createPrivateKey(privateKeyPem) }
  }
  let signingKey: ReturnType<typeof loadSigningKey> | undefined

  /**
   * @param attempt Its moment in Unix ms, and a name that no other attempt has.
   * @param fault What is to be wrong with the header, if anything.
   */
  return async (
    payload: string,
    attempt: { readonly at: number; readonly name: string },
    fault?: WebhookFaultKind | undefined,
  ) => {
    signingKey ??= loadSigningKey()
    const { kid, key } = await signingKey
    const iat = Math.floor(attempt.at / 1_000)
    const jti = random.uuid('webhook-jti', attempt.name)
    const proper: ProtectedHeader = { alg: 'RS256', kid, jti, iat, exp: iat + limits.envelopeLifetimeS }
    const header = brokenHeader(fault, proper)
    return { header, signature: await signing.seal(header, Buffer.from(payload), key) }
  }
}
