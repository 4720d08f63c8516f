import type { Faults } from '../faults/faults.ts'
import { befalls, brokenBody, type WebhookFault } from '../faults/webhook-fault.ts'
import type { Directory } from '../marketplace/game-servers/directory.ts'
import type { Platform } from '../marketplace/platform.ts'
import type { WebhookDeliveryRow } from '../store/webhook-rows.ts'
import { recordAttempt } from './outcome.ts'
import type { Patience } from './patience.ts'
import { type PostOutcome, postWebhook, type WebhookPost } from './post.ts'
import type { WebhookSeal } from './webhook-seal.ts'

/** What an attempt reaches into. */
export interface AttemptParts {
  readonly platform: Platform
  readonly directory: Directory
  readonly seal: WebhookSeal
  readonly faults: Faults
}

/**
 * Makes one attempt of a delivery that is due and writes what came of it. A fault may hold the delivery back, put the
 * attempt off, break it, or lose its answer.
 *
 * @param signal Breaks it off: one that is being sent has failed, one that a fault put off is not made and still due.
 * @throws {CommitFailedError} What came of it could not be written: the delivery is still due.
 */
export async function makeAttempt(
  delivery: WebhookDeliveryRow,
  { timeoutMs, faultDelayMsMax }: Patience,
  signal: AbortSignal,
  { platform, directory, seal, faults: { webhook } }: AttemptParts,
): Promise<void> {
  const { tables, clock } = platform
  const url = directory.byId(delivery.gameServerId)?.webhookUrl
  if (!url) return
  const fault = webhook.queue.isEmpty ? undefined : webhook.queue.take((set) => befalls(set, delivery.event))
  if (fault?.kind === 'reorder' && !tables.webhooks.isTerminalAcknowledged(delivery.transactionId)) {
    return platform.transact(() => tables.webhooks.hold(delivery.id))
  }
  if (fault?.kind === 'delay') {
    await webhook.delays.pass(Math.min(fault.delayMs, faultDelayMsMax), signal)
    if (signal.aborted || tables.webhooks.byId(delivery.id)?.state !== 'pending') return
  }
  const made = { number: delivery.attempts + 1, at: clock.nowMs(), url, fault: fault?.kind ?? null }
  const stockReportsBefore = tables.listings.ofTransaction(delivery.transactionId)?.stockReports ?? 0
  const { header, signature } = await seal.seal(delivery, made, fault?.kind)
  const startedMs = clock.monotonicMs()
  const post = { url, body: brokenBody(fault?.kind, delivery.payload), signature, timeoutMs, signal }
  const [outcome, ...copies] = await postAll(post, fault, platform)
  const durationMs = Math.round(clock.monotonicMs() - startedMs)
  const attempt = { ...made, durationMs, signature, protectedHeader: JSON.stringify(header), stockReportsBefore }
  await platform.transact(() => recordAttempt(platform, delivery.id, attempt, outcome, copies))
}

/** The attempt's own outcome, then those of the copies that a fault sends along. */
async function postAll(
  post: WebhookPost,
  fault: WebhookFault | undefined,
  { clock }: Platform,
): Promise<[PostOutcome, ...PostOutcome[]]> {
  const copies = fault?.kind === 'duplicate' ? fault.copies : 0
  const own = postWebhook(post, clock)
  const others = Array.from({ length: copies }, () => postWebhook(post, clock))
  const [outcome, ...rest] = await Promise.all([own, ...others])
  const isLost = fault?.kind === 'drop-response' && outcome.kind === 'answer'
  return [isLost ? { kind: 'failure', failure: `answer ${outcome.status} dropped by a fault` } : outcome, ...rest]
}
