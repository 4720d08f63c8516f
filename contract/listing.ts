import * as z from 'zod/mini'
import { characterRef, itemRef, money, name, observation, quantity, timestamp } from './fields.ts'
import { limits } from './limits.ts'

/** What was promised to the buyer: free text that nobody interprets, 1 to 255 code points. */
export const attributes = z.string().check(
  z.refine((text) => text.length >= limits.attributesLengthMin && [...text].length <= limits.attributesLengthMax, {
    params: { lengthMin: limits.attributesLengthMin, lengthMax: limits.attributesLengthMax },
  }),
  z.meta({ minLength: limits.attributesLengthMin, maxLength: limits.attributesLengthMax }),
)

export const listingStatuses = ['ACTIVE', 'WITHDRAWN'] as const
export type ListingStatus = (typeof listingStatuses)[number]

/** The listing record. @see interface section 2 */
export const listing = z.looseObject({
  id: quantity,
  itemRef,
  gameItemId: name,
  itemName: name,
  attributes: z.string(),
  unitAmountCents: z.int(),
  quantityListed: z.int(),
  quantitySold: z.int(),
  observedQuantity: z.nullable(z.int()),
  observedAt: z.nullable(timestamp),
  status: name,
  createdAt: timestamp,
  updatedAt: timestamp,
  withdrawnAt: z.nullable(timestamp),
})
export type Listing = z.infer<typeof listing> & { status: ListingStatus }

/** Body of POST /v1/api/market/listings. @see interface section 4.2 */
export const listingRegistration = z.looseObject({
  itemRef,
  gameItemId: name,
  itemName: name,
  attributes,
  quantityListed: quantity,
  unitAmountCents: money,
  sellerCharacterRef: characterRef,
})

/** Body of PUT /v1/api/market/listings, its `action` apart. @see interface section 4.3 */
export const stockAdjustment = z.looseObject({ itemRef, observedQuantity: observation })
export const withdrawal = z.looseObject({ itemRef })

export const listingTriggers = ['ADJUST_STOCK', 'WITHDRAW'] as const
export type ListingTrigger = (typeof listingTriggers)[number]

/**
 * Life of a listing: where each trigger leads, `null` where it is refused. Withdrawal is final: no observation
 * brings a listing back, and withdrawing again finds it done. Sold out is an observation of 0, not a status.
 *
 * @see interface section 3
 */
export const listingMoves = {
  ACTIVE: { ADJUST_STOCK: 'ACTIVE', WITHDRAW: 'WITHDRAWN' },
  WITHDRAWN: { ADJUST_STOCK: null, WITHDRAW: 'WITHDRAWN' },
} as const satisfies Record<ListingStatus, Record<ListingTrigger, ListingStatus | null>>
