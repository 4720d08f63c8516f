import { iso, isoOrNull } from '../../clock/iso.ts'
import type { ListedItem } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { Platform } from '../platform.ts'

/** The transaction as partners see it. @see docs/decisions/0009 */
export function transactionRecord(platform: Platform, transaction: TransactionRow, listing: ListedItem) {
  return {
    transactionId: transaction.id,
    itemRef: listing.itemRef,
    gameItemId: listing.gameItemId,
    itemName: listing.itemName,
    quantity: transaction.quantity,
    unitAmountCents: transaction.unitAmountCents,
    totalAmountCents: transaction.quantity * transaction.unitAmountCents,
    buyerCharacterRef: transaction.buyerCharacterRef,
    sellerCharacterRef: listing.sellerCharacterRef,
    paymentStatus: transaction.paymentStatus,
    deliveryStatus: transaction.deliveryStatus,
    checkoutUrl: `${platform.publicUrl()}/checkout/${transaction.checkoutToken}`,
    createdAt: iso(transaction.createdAt),
    expiresAt: iso(transaction.expiresAt),
    paidAt: isoOrNull(transaction.paidAt),
    deliveredAt: isoOrNull(transaction.deliveredAt),
    completedAt: isoOrNull(transaction.completedAt),
    failureReason: transaction.failureReason,
    retryAt: isoOrNull(transaction.retryAt),
  }
}
