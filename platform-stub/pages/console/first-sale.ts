import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { FirstSaleRows } from '../../store/first-sale-query.ts'
import type { ConsoleParts } from './console-parts.ts'

/** The steps of a first sale, in their order. */
export const saleSteps = ['server', 'call', 'link', 'listing', 'purchase', 'payment', 'delivery'] as const

/** Names a step of a first sale. */
export type SaleStep = (typeof saleSteps)[number]

/** The characters, the item and the purchase of a first sale. */
export interface SaleNames {
  readonly seller: string
  readonly isSellerApproved: boolean
  readonly buyer: string
  /** The link that waits for the player, or is made next. */
  readonly linkId: number
  /** The listing that was made, or is made next. */
  readonly listingId: number
  readonly itemRef: string
  /** The purchase that was made, or is made next. */
  readonly transactionId: number
}

/** How far the first sale came. */
export interface SaleState {
  readonly rows: FirstSaleRows
  readonly done: Readonly<Record<SaleStep, boolean>>
  /** What the commands of the steps name. */
  readonly names: SaleNames
}

/** Reads how far the first sale came from what the platform has stored, and nowhere else. */
export function saleStateOf({
  queries,
  clock,
  platform,
}: Pick<ConsoleParts, 'queries' | 'clock' | 'platform'>): SaleState {
  const rows = queries.firstSale(clock.nowMs())
  const { character, openLink, listing, transaction } = rows
  const { tables } = platform
  const listingId = listing?.id ?? tables.listings.nextId()
  const isOpen = transaction && ['awaiting-payment', 'awaiting-server', 'disputed'].includes(phaseOfRow(transaction))
  return {
    rows,
    done: {
      server: rows.isRegistered,
      call: rows.isCalled,
      link: character !== undefined,
      listing: listing !== undefined,
      purchase: transaction !== undefined,
      payment: transaction?.paidAt != null || rows.isDelivered,
      delivery: rows.isDelivered,
    },
    names: {
      seller: character?.characterRef ?? 'char-1',
      isSellerApproved: character?.isApproved === 1,
      buyer: 'char-2',
      linkId: openLink?.id ?? tables.characters.nextLinkId(),
      listingId,
      itemRef: listing?.itemRef ?? `offer-${listingId}`,
      transactionId: isOpen ? transaction.id : tables.transactions.nextId(),
    },
  }
}
