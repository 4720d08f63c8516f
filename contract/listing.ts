import * as z from 'zod/mini'
import { characterRef, itemRef, knownText, momentOf, money, name, observation, quantity } from './fields.ts'
import { limits } from './limits.ts'

/** The promise to the buyer: free text of 1 to 255 code points, which no program interprets. */
export const attributes = z.string().check(
  z.refine((text) => text.length >= limits.attributesLengthMin && [...text].length <= limits.attributesLengthMax, {
    params: { lengthMin: limits.attributesLengthMin, lengthMax: limits.attributesLengthMax },
  }),
  z.meta({
    description: 'What is promised to the buyer, in free text that no program interprets; proof in a dispute.',
    minLength: limits.attributesLengthMin,
    maxLength: limits.attributesLengthMax,
  }),
)

export const listingStatuses = ['ACTIVE', 'WITHDRAWN'] as const
export type ListingStatus = (typeof listingStatuses)[number]

const gameItemId = name.check(z.describe('Identifier of the item type in the game.'))
const itemName = name.check(z.describe('Display name of the item.'))

/** The listing record. @see interface section 2 */
export const listing = z.looseObject({
  id: quantity.check(z.describe('Identifier of the listing.')),
  itemRef,
  gameItemId,
  itemName,
  attributes: z.string().check(z.describe('As it was registered, never reformatted.')),
  unitAmountCents: z.int().check(z.describe('Price of one unit in BRL cents.')),
  quantityListed: z.int().check(z.describe('Quantity registered.')),
  quantitySold: z.int().check(z.describe('Quantity sold through the service: paid and not refunded.')),
  observedQuantity: z
    .nullable(z.int())
    .check(z.describe('What the game server saw last as available; null until it has reported.')),
  observedAt: z.nullable(momentOf('When it was observed.')),
  status: knownText('`ACTIVE` on creation; sold out is an `observedQuantity` of 0, not a status.', listingStatuses),
  createdAt: momentOf('When it was registered.'),
  updatedAt: momentOf('When it last changed.'),
  withdrawnAt: z.nullable(momentOf('When it was withdrawn.')),
})
export type Listing = z.infer<typeof listing> & { status: ListingStatus }

/** Body of POST /v1/api/market/listings. @see interface section 4.2 */
export const listingRegistration = z.looseObject({
  itemRef,
  gameItemId,
  itemName,
  attributes,
  quantityListed: quantity.check(z.describe('Quantity offered.')),
  unitAmountCents: money,
  sellerCharacterRef: characterRef,
})

/** Body of PUT /v1/api/market/listings, its `action` apart. @see interface section 4.3 */
export const stockAdjustment = z.looseObject({ itemRef, observedQuantity: observation })
export const withdrawal = z.looseObject({ itemRef })

export const listingTriggers = ['ADJUST_STOCK', 'WITHDRAW'] as const
export type ListingTrigger = (typeof listingTriggers)[number]

/**
 * Life of a listing: the state after each trigger, `null` where it is refused. Withdrawal is final: no observation
 * brings a listing back, and withdrawing again finds it done. Sold out is an observation of 0, not a status.
 *
 * @see interface section 3
 */
export const listingMoves = {
  ACTIVE: { ADJUST_STOCK: 'ACTIVE', WITHDRAW: 'WITHDRAWN' },
  WITHDRAWN: { ADJUST_STOCK: null, WITHDRAW: 'WITHDRAWN' },
} as const satisfies Record<ListingStatus, Record<ListingTrigger, ListingStatus | null>>
