import type { DatabaseSync } from 'node:sqlite'
import type { ListingStatus } from '../../contract/listing.ts'

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

/** What a purchase's record says of its listing. */
export type ListedItem = Pick<ListingRow, 'itemRef' | 'gameItemId' | 'itemName' | 'sellerCharacterRef'>

/** A listing before it has an id: nothing is sold or observed yet. */
export type NewListing = Pick<
  ListingRow,
  | 'gameServerId'
  | 'itemRef'
  | 'gameItemId'
  | 'itemName'
  | 'attributes'
  | 'unitAmountCents'
  | 'quantityListed'
  | 'sellerCharacterRef'
  | 'createdAt'
>

/** Listings, by game server and itemRef; none is ever deleted, so an itemRef stays used. */
export function listingTable(database: DatabaseSync) {
  const insert = database.prepare(`
    insert into listings (gameServerId, itemRef, gameItemId, itemName, attributes, unitAmountCents, quantityListed,
      quantitySold, stockReports, status, sellerCharacterRef, createdAt, updatedAt)
    values (?, ?, ?, ?, ?, ?, ?, 0, 0, 'ACTIVE', ?, ?, ?)
    on conflict (gameServerId, itemRef) do nothing
    returning *
  `)
  const byItemRef = database.prepare('select * from listings where gameServerId = ? and itemRef = ?')
  const byId = database.prepare('select * from listings where id = ?')
  const ofTransaction = database.prepare(
    'select listings.* from listings join transactions on listings.id = listingId where transactions.id = ?',
  )
  const observe = database.prepare(
    'update listings set observedQuantity = ?, observedAt = ?, updatedAt = ?, stockReports = stockReports + ? where id = ?',
  )
  const withdraw = database.prepare(
    `update listings set status = 'WITHDRAWN', withdrawnAt = ?, updatedAt = ? where id = ?`,
  )
  const addSold = database.prepare('update listings set quantitySold = quantitySold + ?, updatedAt = ? where id = ?')
  const newest = database.prepare('select * from listings order by id desc limit ?')
  return {
    /** Undefined when the game server has used the itemRef before. */
    insert(row: NewListing): ListingRow | undefined {
      const { gameServerId, itemRef, gameItemId, itemName, attributes, unitAmountCents, quantityListed } = row
      const { sellerCharacterRef, createdAt } = row
      return insert.get(
        gameServerId,
        itemRef,
        gameItemId,
        itemName,
        attributes,
        unitAmountCents,
        quantityListed,
        sellerCharacterRef,
        createdAt,
        createdAt,
      ) as unknown as ListingRow | undefined
    },
    byItemRef: (gameServerId: number, itemRef: string) =>
      byItemRef.get(gameServerId, itemRef) as unknown as ListingRow | undefined,
    byId: (id: number) => byId.get(id) as unknown as ListingRow | undefined,
    ofTransaction: (transactionId: number) => ofTransaction.get(transactionId) as unknown as ListingRow | undefined,
    /** @param source A `report` of the game server's own (an adjustment, a failure), or its `reply` to a webhook. */
    observe: (id: number, quantity: number, at: number, source: 'report' | 'reply'): void =>
      void observe.run(quantity, at, at, source === 'report' ? 1 : 0, id),
    withdraw: (id: number, at: number): void => void withdraw.run(at, at, id),
    /** Negative for what a refund gives back. */
    addSold: (id: number, quantity: number, at: number): void => void addSold.run(quantity, at, id),
    newest: (count: number) => newest.all(count) as unknown as ListingRow[],
  }
}
