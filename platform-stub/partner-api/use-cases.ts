import type * as z from 'zod/mini'
import type { OperationName, operations, PlatformOperationName } from '../../contract/operations.ts'
import { eligibilityOf } from '../marketplace/characters/eligibility.ts'
import { startLink } from '../marketplace/characters/links.ts'
import { adjustStock, registerListing, withdrawListing } from '../marketplace/listings/listings.ts'
import type { Platform } from '../marketplace/platform.ts'
import { confirmDelivery, readTransaction, reportDeliveryFailure } from '../marketplace/transactions/delivery.ts'
import { createTransaction } from '../marketplace/transactions/purchase.ts'

/** The fields of an operation's schema, and no others. */
type InputOf<Name extends OperationName> = z.infer<z.ZodMiniObject<(typeof operations)[Name]['input']['def']['shape']>>

/**
 * What the platform does for each operation. Runs inside a database transaction; what it returns is the answer's
 * `data`, nothing for the operations whose answer has no body.
 */
export const useCases: {
  readonly [Name in PlatformOperationName]: (platform: Platform, gameServerId: number, input: InputOf<Name>) => unknown
} = {
  'character.link': startLink,
  'market.register': registerListing,
  'market.adjust-stock': adjustStock,
  'market.withdraw': withdrawListing,
  'market.eligibility': ({ tables }, gameServerId, { characterRef }) =>
    eligibilityOf(tables.characters.read(gameServerId, characterRef)),
  'transaction.create': createTransaction,
  'transaction.get': readTransaction,
  'transaction.delivery': confirmDelivery,
  'transaction.delivery-failure': reportDeliveryFailure,
}
