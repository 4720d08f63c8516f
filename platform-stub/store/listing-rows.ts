import type { DatabaseSync } from 'node:sqlite'
import type { ListingStatus } from '../../contract/listing.ts'
import { statementsOf } from './statements.ts'

/** A listing. Times are Unix ms of the stub's clock. */
export interface ListingRow {
  readonly id: number
  readonly gameServerId: number
  readonly itemRef: string
  readonly gameItemId: string
  readonly itemName: string
  readonly attributes: string
  readonly unitAmountCents: number
  readonly quantityListed: number
  readonly quantitySold: number
  readonly observedQuantity: number | null
  readonly observedAt: number | null
  /** How often the game server has reported its stock by itself: replies to webhooks do not count. */
  readonly stockReports: number
  readonly status: ListingStatus
  readonly sellerCharacterRef: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly withdrawnAt: number | null
}

/** What a purchase's record says about its listing. */
export type ListedItem = Pick<ListingRow, 'itemRef' | 'gameItemId' | 'itemName' | 'sellerCharacterRef'>

/** A listing before it has an id: nothing is sold or observed yet. */
export type NewListing = Omit<
  ListingRow,
  'id' | 'quantitySold' | 'observedQuantity' | 'observedAt' | 'stockReports' | 'status' | 'updatedAt' | 'withdrawnAt'
>

/** Listings, by game server and itemRef; none is ever deleted, so an itemRef stays used. */
export function listingTable(database: DatabaseSync) {
  const { get, all, run, insert, nextId } = statementsOf(database)
  const insertListing = insert<ListingRow>('listings', {
    onConflict: 'on conflict (gameServerId, itemRef) do nothing',
  })(
    'gameServerId',
    'itemRef',
    'gameItemId',
    'itemName',
    'attributes',
    'unitAmountCents',
    'quantityListed',
    'quantitySold',
    'stockReports',
    'status',
    'sellerCharacterRef',
    'createdAt',
    'updatedAt',
  )
  const observe = run<[quantity: number, at: number, reports: 0 | 1, id: number]>(`
    update listings set observedQuantity = ?1, observedAt = ?2, updatedAt = ?2, stockReports = stockReports + ?3
    where id = ?4
  `)
  return {
    /** The id that the next listing gets. */
    nextId: nextId('listings'),
    /** Undefined when the game server has used the itemRef before. */
    insert: (row: NewListing) =>
      insertListing({ ...row, quantitySold: 0, stockReports: 0, status: 'ACTIVE', updatedAt: row.createdAt }),
    byItemRef: get<ListingRow, [gameServerId: number, itemRef: string]>(
      'select * from listings where gameServerId = ? and itemRef = ?',
    ),
    byId: get<ListingRow, [id: number]>('select * from listings where id = ?'),
    ofTransaction: get<ListingRow, [transactionId: number]>(
      'select listings.* from listings join transactions on listings.id = listingId where transactions.id = ?',
    ),
    /** @param source A `report` of the game server's own (an adjustment, a failure), or its `reply` to a webhook. */
    observe: (id: number, quantity: number, at: number, source: 'report' | 'reply'): void =>
      observe(quantity, at, source === 'report' ? 1 : 0, id),
    withdraw: run<[id: number, at: number]>(
      `update listings set status = 'WITHDRAWN', withdrawnAt = ?2, updatedAt = ?2 where id = ?1`,
    ),
    /** Negative for what a refund gives back. */
    addSold: run<[id: number, quantity: number, at: number]>(
      'update listings set quantitySold = quantitySold + ?2, updatedAt = ?3 where id = ?1',
    ),
    newest: all<ListingRow, [count: number]>('select * from listings order by id desc limit ?'),
    /** Every game server may have one of this itemRef. */
    newestOf: all<ListingRow, [itemRef: string, count: number]>(
      'select * from listings where itemRef = ? order by id desc limit ?',
    ),
  }
}
