import { createHash } from 'node:crypto'
import type { TransactionPhase } from '../../../contract/transaction.ts'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { listingOf } from '../../marketplace/transactions/apply.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'

/** What the buyer sees: the phase, or the reason why an unpaid purchase cannot be paid. */
export type CheckoutState = TransactionPhase | 'sold-out' | 'withdrawn'

/** Everything that the checkout page shows. */
export interface Purchase {
  readonly transaction: TransactionRow
  readonly listing: ListingRow
  readonly state: CheckoutState
  /** How many units can still be bought. */
  readonly available: number
  readonly nowMs: number
}

/** A purchase as its buyer sees it now; undefined for an unknown token. */
export function purchaseOf(platform: Platform, token: string): Purchase | undefined {
  const { tables, clock, settings } = platform
  const transaction = tables.transactions.byToken(token)
  if (!transaction) return undefined
  const listing = listingOf(platform, transaction)
  const nowMs = clock.nowMs()
  const { available } = estimateStock(listing, nowMs, settings.observationFreshnessMs)
  return { transaction, listing, state: stateOf(transaction, listing, available), available, nowMs }
}

/** The second check of the estimate, for the page. It is made again before the charge. */
function stateOf(transaction: TransactionRow, listing: ListingRow, available: number): CheckoutState {
  const phase = phaseOfRow(transaction)
  if (phase !== 'awaiting-payment') return phase
  if (listing.status === 'WITHDRAWN') return 'withdrawn'
  return transaction.quantity > available ? 'sold-out' : phase
}

/**
 * Names what the page shows. A page with another version is fetched again.
 *
 * @param clockOffsetMs Part of the version, because a countdown depends on it.
 */
export function versionOf(purchase: Purchase | undefined, clockOffsetMs: number): string {
  if (!purchase) return 'none'
  const { transaction, state, available } = purchase
  const seen = JSON.stringify([transaction, state, available, clockOffsetMs])
  return createHash('sha256').update(seen).digest('base64url').slice(0, 16)
}
