import type * as z from 'zod/mini'
import type { deliveryFailure } from '../../../contract/transaction.ts'
import { iso, isoOrNull } from '../../clock/iso.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { Platform } from '../platform.ts'
import { Refusal, refuse } from '../refusal.ts'
import { moveTransaction } from './apply.ts'
import { transactionRecord } from './record.ts'

/** The transaction as its own game server reads it, or TRANSACTION_UNKNOWN. @see interface 4.6 */
export function readTransaction(platform: Platform, gameServerId: number, input: { readonly transactionId: number }) {
  const found = own(platform.tables.transactions.withListing(input.transactionId), gameServerId)
  return found instanceof Refusal ? found : transactionRecord(platform, found, found)
}

/**
 * The game server transferred the whole item. Repeating it on a delivered transaction answers the same.
 *
 * @returns The answer's data; or TRANSACTION_UNKNOWN or TRANSACTION_MOVE_REFUSED.
 * @see interface section 4.7
 */
export function confirmDelivery(platform: Platform, gameServerId: number, input: { readonly transactionId: number }) {
  const transaction = own(platform.tables.transactions.byId(input.transactionId), gameServerId)
  if (transaction instanceof Refusal) return transaction
  const moved = moveTransaction(platform, transaction, { trigger: 'deliver', at: platform.clock.nowMs() })
  if (moved instanceof Refusal) return moved
  return { ...statusOf(moved), deliveredAt: iso(moved.deliveredAt ?? 0) }
}

/**
 * The game server could not transfer the item: `OUT_OF_STOCK` starts the refund, `TEMPORARY` orders again at retryAt.
 * Repeating the report answers the same; the newer observation of a repeated `TEMPORARY` counts.
 *
 * @returns The answer's data; or TRANSACTION_UNKNOWN or TRANSACTION_MOVE_REFUSED.
 * @see interface section 4.8
 */
export function reportDeliveryFailure(
  platform: Platform,
  gameServerId: number,
  input: z.infer<typeof deliveryFailure>,
) {
  const transaction = own(platform.tables.transactions.byId(input.transactionId), gameServerId)
  if (transaction instanceof Refusal) return transaction
  const at = platform.clock.nowMs()
  const { transactionId, reason, observedQuantity, detail } = input
  const trigger = reason === 'TEMPORARY' ? 'fail-temporary' : 'fail-out-of-stock'
  const moved = moveTransaction(platform, transaction, { trigger, at }, { observedQuantity, detail: detail ?? null })
  if (moved instanceof Refusal) return moved
  platform.afterCommit(() =>
    platform.log.info({ gameServerId, transactionId, reason, observedQuantity, detail }, 'delivery failure reported'),
  )
  const isStale = moved === transaction && reason === 'OUT_OF_STOCK'
  if (!isStale) platform.tables.listings.observe(transaction.listingId, observedQuantity, at, 'report')
  return {
    ...statusOf(moved),
    refundStarted: moved.failureReason === 'OUT_OF_STOCK',
    retryAt: isoOrNull(moved.retryAt),
  }
}

/** @returns TRANSACTION_UNKNOWN where there is none, or it is another game server's. */
function own<Row extends TransactionRow>(transaction: Row | undefined, gameServerId: number): Row | Refusal {
  return transaction?.gameServerId === gameServerId ? transaction : refuse('TRANSACTION_UNKNOWN')
}

function statusOf({ id, paymentStatus, deliveryStatus }: TransactionRow) {
  return { transactionId: id, paymentStatus, deliveryStatus }
}
