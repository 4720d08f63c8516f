import type * as z from 'zod/mini'
import { type Listing, type ListingTrigger, listingMoves, type listingRegistration } from '../../../contract/listing.ts'
import { iso, isoOrNull } from '../../clock/iso.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import { sellerObstacle } from '../characters/eligibility.ts'
import type { Platform } from '../platform.ts'
import { refuse } from '../refusal.ts'

/**
 * Registers a player's offer as a listing.
 *
 * @throws {Refusal} 400 naming the seller's missing condition, or a total beyond what money fields hold; 409 for an
 *   itemRef that was ever used.
 * @see interface section 4.2
 */
export function registerListing(
  platform: Platform,
  gameServerId: number,
  input: z.infer<typeof listingRegistration>,
): Listing {
  const obstacle = sellerObstacle(platform.tables.characters.read(gameServerId, input.sellerCharacterRef))
  if (obstacle) throw refuse(obstacle)
  if (!Number.isSafeInteger(input.unitAmountCents * input.quantityListed)) throw refuse('PRICE_TOO_LARGE')
  const { itemRef } = input
  const row = platform.tables.listings.insert({ ...input, gameServerId, createdAt: platform.clock.nowMs() })
  if (!row) throw refuse('ITEM_REF_USED', { itemRef })
  return listingRecord(row)
}

/**
 * Takes over what the game server sees as available. @see interface section 4.3
 *
 * @throws {Refusal} LISTING_UNKNOWN or LISTING_WITHDRAWN.
 */
export function adjustStock(
  platform: Platform,
  gameServerId: number,
  input: { readonly itemRef: string; readonly observedQuantity: number },
): void {
  const listing = movableListing(platform, gameServerId, input.itemRef, 'ADJUST_STOCK')
  platform.tables.listings.observe(listing.id, input.observedQuantity, platform.clock.nowMs(), 'report')
}

/**
 * Withdraws a listing for good; withdrawing again finds it done. @see interface section 4.3
 *
 * @throws {Refusal} LISTING_UNKNOWN.
 */
export function withdrawListing(platform: Platform, gameServerId: number, input: { readonly itemRef: string }): void {
  const listing = movableListing(platform, gameServerId, input.itemRef, 'WITHDRAW')
  if (listing.status !== 'WITHDRAWN') platform.tables.listings.withdraw(listing.id, platform.clock.nowMs())
}

function movableListing(
  platform: Platform,
  gameServerId: number,
  itemRef: string,
  trigger: ListingTrigger,
): ListingRow {
  const listing = platform.tables.listings.byItemRef(gameServerId, itemRef)
  if (!listing) throw refuse('LISTING_UNKNOWN', { itemRef })
  if (listingMoves[listing.status][trigger] === null) throw refuse('LISTING_WITHDRAWN')
  return listing
}

/** The listing as the interface shows it. @see interface section 2 */
export function listingRecord(row: ListingRow): Listing {
  return {
    id: row.id,
    itemRef: row.itemRef,
    gameItemId: row.gameItemId,
    itemName: row.itemName,
    attributes: row.attributes,
    unitAmountCents: row.unitAmountCents,
    quantityListed: row.quantityListed,
    quantitySold: row.quantitySold,
    observedQuantity: row.observedQuantity,
    observedAt: isoOrNull(row.observedAt),
    status: row.status,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    withdrawnAt: isoOrNull(row.withdrawnAt),
  }
}
