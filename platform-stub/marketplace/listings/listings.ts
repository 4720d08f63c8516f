import type * as z from 'zod/mini'
import {
  type Listing,
  type ListingTrigger,
  listing,
  listingMoves,
  type listingRegistration,
} from '../../../contract/listing.ts'
import { withIsoTimes } from '../../clock/iso.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import { sellerObstacle } from '../characters/eligibility.ts'
import type { Platform } from '../platform.ts'
import { Refusal, refuse } from '../refusal.ts'

/**
 * Registers a player's offer as a listing.
 *
 * @returns The listing, or 400 naming the seller's missing condition, or a total beyond what money fields hold; 409 for an
 *   itemRef that was ever used.
 * @see interface section 4.2
 */
export function registerListing(
  platform: Platform,
  gameServerId: number,
  input: z.infer<z.ZodMiniObject<typeof listingRegistration.def.shape>>,
): Listing | Refusal {
  const obstacle = sellerObstacle(platform.tables.characters.read(gameServerId, input.sellerCharacterRef))
  if (obstacle) return refuse(obstacle)
  if (!Number.isSafeInteger(input.unitAmountCents * input.quantityListed)) return refuse('PRICE_TOO_LARGE')
  const row = platform.tables.listings.insert({ ...input, gameServerId, createdAt: platform.clock.nowMs() })
  if (!row) return refuse('ITEM_REF_USED', { itemRef: input.itemRef })
  return listingRecord(row)
}

/**
 * Takes over what the game server sees as available. @see interface section 4.3
 *
 * @returns LISTING_UNKNOWN or LISTING_WITHDRAWN where it cannot.
 */
export function adjustStock(
  platform: Platform,
  gameServerId: number,
  input: { readonly itemRef: string; readonly observedQuantity: number },
): Refusal | undefined {
  const listing = movableListing(platform, gameServerId, input.itemRef, 'ADJUST_STOCK')
  if (listing instanceof Refusal) return listing
  platform.tables.listings.observe(listing.id, input.observedQuantity, platform.clock.nowMs(), 'report')
  return undefined
}

/**
 * Withdraws a listing for good; withdrawing again finds it done. @see interface section 4.3
 *
 * @returns LISTING_UNKNOWN where there is none.
 */
export function withdrawListing(
  platform: Platform,
  gameServerId: number,
  input: { readonly itemRef: string },
): Refusal | undefined {
  const listing = movableListing(platform, gameServerId, input.itemRef, 'WITHDRAW')
  if (listing instanceof Refusal) return listing
  if (listing.status !== 'WITHDRAWN') platform.tables.listings.withdraw(listing.id, platform.clock.nowMs())
  return undefined
}

function movableListing(
  platform: Platform,
  gameServerId: number,
  itemRef: string,
  trigger: ListingTrigger,
): ListingRow | Refusal {
  const listing = platform.tables.listings.byItemRef(gameServerId, itemRef)
  if (!listing) return refuse('LISTING_UNKNOWN', { itemRef })
  if (listingMoves[listing.status][trigger] === null) return refuse('LISTING_WITHDRAWN')
  return listing
}

/** The listing as the interface shows it. @see interface section 2 */
export function listingRecord(row: ListingRow): Listing {
  const values: Readonly<Record<string, unknown>> = withIsoTimes(row)
  return Object.fromEntries(Object.keys(listing.def.shape).map((field) => [field, values[field]])) as Listing
}
