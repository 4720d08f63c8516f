import type { TransactionTrigger } from '../../../contract/transaction.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import { estimateStock } from '../listings/estimate.ts'
import type { Platform } from '../platform.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { listingOf, moveTransaction } from './apply.ts'
import { phaseOfRow } from './moves.ts'
import { transactionRecord } from './record.ts'

/**
 * Creates a purchase: the first check of the estimate, the price from the listing, a checkout for the buyer.
 *
 * @returns The record with its `checkoutUrl`; or LISTING_UNKNOWN, LISTING_WITHDRAWN or STOCK_TOO_LOW.
 * @see interface section 4.5
 */
export function createTransaction(
  platform: Platform,
  gameServerId: number,
  input: { readonly itemRef: string; readonly quantity: number; readonly buyerCharacterRef: string },
) {
  const { tables, random, clock, settings } = platform
  const { itemRef, quantity, buyerCharacterRef } = input
  const listing = tables.listings.byItemRef(gameServerId, itemRef)
  if (!listing) return refuse('LISTING_UNKNOWN', { itemRef })
  const refusal = refusedPurchase(platform, listing, quantity)
  if (refusal) return refusal

  const id = tables.transactions.nextId()
  const createdAt = clock.nowMs()
  const expiresAt = createdAt + settings.paymentExpiryMs
  const transaction = tables.transactions.insert({
    id,
    gameServerId,
    listingId: listing.id,
    quantity,
    unitAmountCents: listing.unitAmountCents,
    buyerCharacterRef,
    checkoutToken: random.token('checkout', id),
    createdAt,
    expiresAt,
  })
  const { paymentStatus, deliveryStatus } = transaction
  tables.transactions.insertHistory(id, {
    at: createdAt,
    trigger: 'create',
    paymentStatus,
    deliveryStatus,
    detail: null,
    observedQuantity: null,
  })
  tables.transactions.setDue({ transactionId: id, trigger: 'expire', dueAt: expiresAt })
  return transactionRecord(platform, transaction, listing)
}

/**
 * The buyer pays: the second check of the estimate, then the charge. A purchase refused for its stock stays unpaid
 * until it expires or stock comes back.
 *
 * @returns The paid transaction; or TRANSACTION_MOVE_REFUSED, PAYMENT_EXPIRED, LISTING_WITHDRAWN or STOCK_TOO_LOW.
 * @see interface section 2, rule 2 of the estimate; docs/decisions/0009
 */
export function payTransaction(platform: Platform, transaction: TransactionRow): TransactionRow | Refusal {
  const at = platform.clock.nowMs()
  if (phaseOfRow(transaction) === 'awaiting-payment') {
    if (transaction.expiresAt <= at) return refuse('PAYMENT_EXPIRED')
    const refusal = refusedPurchase(platform, listingOf(platform, transaction), transaction.quantity)
    if (refusal) return refusal
  }
  return moveTransaction(platform, transaction, { trigger: 'pay', at })
}

/**
 * Makes a move that the buyer, the game server or the staff ask for.
 *
 * @returns The transaction after it; or TRANSACTION_UNKNOWN, or a refusal of `payTransaction`.
 */
export function moveByHand(
  platform: Platform,
  transactionId: number,
  trigger: TransactionTrigger,
): TransactionRow | Refusal {
  const transaction = platform.tables.transactions.byId(transactionId)
  if (!transaction) return refuse('TRANSACTION_UNKNOWN')
  if (trigger === 'pay') return payTransaction(platform, transaction)
  return moveTransaction(platform, transaction, { trigger, at: platform.clock.nowMs() })
}

/** Why this many of a listing cannot be bought; undefined where they can. */
function refusedPurchase(platform: Platform, listing: ListingRow, quantity: number): Refusal | undefined {
  if (listing.status === 'WITHDRAWN') return refuse('LISTING_WITHDRAWN')
  const { available } = estimateStock(listing, platform.clock.nowMs(), platform.settings.observationFreshnessMs)
  return quantity > available ? refuse('STOCK_TOO_LOW', { available }) : undefined
}
