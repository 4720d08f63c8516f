import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import { estimateStock } from '../listings/estimate.ts'
import type { Platform } from '../platform.ts'
import { refuse } from '../refusal.ts'
import { listingOf, moveTransaction } from './apply.ts'
import { phaseOfRow } from './moves.ts'
import { transactionRecord } from './record.ts'

/**
 * Creates a purchase: the first check of the estimate, the price from the listing, a checkout for the buyer.
 *
 * @returns The record with its `checkoutUrl`.
 * @throws {Refusal} LISTING_UNKNOWN, LISTING_WITHDRAWN or STOCK_TOO_LOW.
 * @see interface section 4.5
 */
export function createTransaction(
  platform: Platform,
  gameServerId: number,
  input: { readonly itemRef: string; readonly quantity: number; readonly buyerCharacterRef: string },
) {
  const { tables, chance, clock, settings } = platform
  const { itemRef, quantity, buyerCharacterRef } = input
  const listing = tables.listings.byItemRef(gameServerId, itemRef)
  if (!listing) throw refuse('LISTING_UNKNOWN', { itemRef })
  checkPurchase(platform, listing, quantity)

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
    checkoutToken: chance.token('checkout', id),
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
  })
  tables.transactions.setDue({ transactionId: id, trigger: 'expire', dueAt: expiresAt })
  return transactionRecord(platform, transaction, listing)
}

/**
 * The buyer pays: the second check of the estimate, then the charge. A purchase refused for its stock stays unpaid
 * until it expires or stock comes back.
 *
 * @throws {Refusal} TRANSACTION_MOVE_REFUSED, PAYMENT_EXPIRED, LISTING_WITHDRAWN or STOCK_TOO_LOW.
 * @see interface section 2, rule 2 of the estimate; docs/decisions/0009
 */
export function payTransaction(platform: Platform, transaction: TransactionRow): TransactionRow {
  const at = platform.clock.nowMs()
  if (phaseOfRow(transaction) === 'awaiting-payment') {
    if (transaction.expiresAt <= at) throw refuse('PAYMENT_EXPIRED')
    checkPurchase(platform, listingOf(platform, transaction), transaction.quantity)
  }
  return moveTransaction(platform, transaction, { trigger: 'pay', at })
}

function checkPurchase(platform: Platform, listing: ListingRow, quantity: number): void {
  if (listing.status === 'WITHDRAWN') throw refuse('LISTING_WITHDRAWN')
  const { available } = estimateStock(listing, platform.clock.nowMs(), platform.settings.observationFreshnessMs)
  if (quantity > available) throw refuse('STOCK_TOO_LOW', { available })
}
