import { observedQuantityOf } from '../../contract/events.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import { transactionPhases } from '../../contract/transaction.ts'
import type { Platform } from '../marketplace/platform.ts'
import { Refusal } from '../marketplace/refusal.ts'
import { backoffMs, phaseOfRow } from '../marketplace/transactions/moves.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../store/webhook-rows.ts'
import { isAcknowledgement, type PostOutcome } from './webhook-post.ts'

/** How much of a receiver's answer is kept with the attempt. */
export const webhookAnswerKeptLengthMax = 2_048

/** An attempt that was made. */
export interface AttemptMade
  extends Omit<
    WebhookAttemptRow,
    'id' | 'responseStatus' | 'responseHeaders' | 'responseBody' | 'failure' | 'nextAttemptAt'
  > {
  /** The listing's count of stock reports when the attempt began. */
  readonly stockReportsBefore: number
  readonly outcome: PostOutcome
  /** The results of the copies that a fault sent along; they are recorded and decide nothing. */
  readonly copies: readonly PostOutcome[]
}

/**
 * Records an attempt and what follows from it: a 2xx ends the delivery and, of a `transfer_order`, updates the stock
 * observation; anything else sets the next time by the attempt's number, unless the delivery has ended meanwhile.
 *
 * @returns False where the store refused and nothing was written.
 * @see interface section 6, delivery rules
 */
export function recordAttempt(platform: Platform, attempt: AttemptMade): boolean {
  const delivery = platform.transact(() => writeAttempt(platform, attempt))
  if (delivery instanceof Refusal) return false
  if (!delivery) return true
  const { event, transactionId, gameServerId } = delivery
  const { deliveryId, number, durationMs, outcome, fault } = attempt
  const result = outcome.kind === 'answer' ? { status: outcome.status } : { failure: outcome.failure }
  platform.log.info(
    { deliveryId, event, transactionId, gameServerId, attempt: number, durationMs, ...result, ...(fault && { fault }) },
    'webhook attempted',
  )
  return true
}

/** @returns The delivery; undefined where the stub was emptied meanwhile. */
function writeAttempt(platform: Platform, attempt: AttemptMade): WebhookDeliveryRow | undefined {
  const { tables, clock } = platform
  const { deliveryId, stockReportsBefore, outcome, copies, ...rest } = attempt
  const made = { deliveryId, ...rest }
  // Read again: the transaction may have become terminal while the receiver was answering.
  const delivery = tables.webhooks.byId(deliveryId)
  if (!delivery) return undefined
  const now = clock.nowMs()
  const isAcknowledged = outcome.kind === 'answer' && isAcknowledgement(outcome.status)
  const nextAttemptAt = isAcknowledged || !goesOn(platform, delivery) ? null : now + backoffMs(attempt.number)
  for (const copy of copies) tables.webhooks.insertAttempt({ ...made, ...outcomeFields(copy), nextAttemptAt: null })
  tables.webhooks.insertAttempt({ ...made, ...outcomeFields(outcome), nextAttemptAt })
  if (nextAttemptAt !== null) tables.webhooks.reschedule(deliveryId, attempt.number, nextAttemptAt)
  else tables.webhooks.close(deliveryId, isAcknowledged ? 'acknowledged' : 'ended', attempt.number, now)
  if (isAcknowledged && delivery.event === 'transfer_order') {
    takeObservation(platform, delivery, outcome.body, stockReportsBefore)
  }
  if (isAcknowledged && delivery.event === 'transaction_terminal') {
    tables.webhooks.releaseHeld(delivery.transactionId, now)
  }
  return delivery
}

/** What is stored of an outcome. */
export function outcomeFields(
  outcome: PostOutcome,
): Pick<WebhookAttemptRow, 'responseStatus' | 'responseHeaders' | 'responseBody' | 'failure'> {
  if (outcome.kind === 'failure')
    return { responseStatus: null, responseHeaders: null, responseBody: null, failure: outcome.failure }
  const responseBody = outcome.body.slice(0, webhookAnswerKeptLengthMax)
  const responseHeaders = JSON.stringify(outcome.headers)
  return { responseStatus: outcome.status, responseHeaders, responseBody, failure: null }
}

/**
 * A delivery continues until it was closed; that of an order also ends with its transaction, however it came to be
 * tried.
 */
function goesOn({ tables }: Platform, delivery: WebhookDeliveryRow): boolean {
  if (delivery.state !== 'pending') return false
  if (delivery.event === 'transaction_terminal') return true
  const transaction = tables.transactions.byId(delivery.transactionId)
  return transaction !== undefined && transactionPhases[phaseOfRow(transaction)].outcome === null
}

/**
 * A report that the game server made while the attempt was under way is newer than the answer, which may have been
 * written before it: an item reported out of stock must not come back by the reply to its order.
 */
function takeObservation(
  { tables, clock }: Platform,
  { transactionId }: WebhookDeliveryRow,
  body: string,
  stockReportsBefore: number,
): void {
  const reading = readStrictJson(body)
  const quantity = reading.ok ? observedQuantityOf(reading.object.value) : undefined
  const listing = tables.listings.ofTransaction(transactionId)
  if (quantity === undefined || listing?.stockReports !== stockReportsBefore) return
  tables.listings.observe(listing.id, quantity, clock.nowMs(), 'reply')
}
