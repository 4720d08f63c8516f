import type { DatabaseSync } from 'node:sqlite'
import type { WebhookEvent } from '../../contract/events.ts'
import type { ListingStatus } from '../../contract/listing.ts'
import type { DeliveryStatus, PaymentStatus } from '../../contract/transaction.ts'
import { type CharacterRow, characterOf } from './character-rows.ts'
import type { ListingRow } from './listing-rows.ts'
import type { DueMoveRow, DueTrigger, TransactionRow } from './transaction-rows.ts'
import type { WebhookDeliveryRow } from './webhook-rows.ts'

/** A transaction as a line of a list: with what it buys and what time will do to it next. */
export interface ListedTransaction
  extends TransactionRow,
    Pick<ListingRow, 'itemRef' | 'itemName' | 'sellerCharacterRef'> {
  readonly dueTrigger: DueTrigger | null
  readonly dueAt: number | null
}

/** A delivery as a line of a list: with the answer to its last attempt. */
export interface ListedDelivery extends WebhookDeliveryRow {
  readonly itemRef: string
  readonly lastStatus: number | null
  readonly lastFailure: string | null
}

/** How many transactions have one payment status, delivery status and completion. */
export interface StateCount {
  readonly paymentStatus: PaymentStatus
  readonly deliveryStatus: DeliveryStatus | null
  readonly isCompleted: 0 | 1
  readonly count: number
}

/** One page of a list that is newest first. */
export interface PageChoice {
  /** Only what has a smaller id; null begins with the newest. */
  readonly before: number | null
  readonly count: number
}

/** Which transactions are listed. */
export interface TransactionChoice extends PageChoice {
  /** Their state; null for all. */
  readonly state: Omit<StateCount, 'count'> | null
  /** An id, or part of what names the item or one of the characters; null for all. */
  readonly search: string | null
}

/** A character as a line of a list. */
type ListedCharacter = CharacterRow & { readonly characterRef: string }

/** What the console reads beyond what the platform itself asks for. Every list has a bound, however much there is. */
export function consoleQueries(database: DatabaseSync) {
  const rowsChanged = database.prepare('select total_changes() as count')
  const stateCounts = database.prepare(`
    select paymentStatus, deliveryStatus, completedAt is not null as isCompleted, count(*) as count
    from transactions group by 1, 2, 3
  `)
  const listingStatuses = database.prepare('select status, count(*) as count from listings group by status')
  const pendingDeliveries = database.prepare(`select count(*) as count from webhookDeliveries where state = 'pending'`)
  const transactions = database.prepare(`
    select t.*, l.itemRef, l.itemName, l.sellerCharacterRef, d.trigger as dueTrigger, d.dueAt
    from transactions t join listings l on l.id = t.listingId left join dueMoves d on d.transactionId = t.id
    where (:before is null or t.id < :before)
      and (:paymentStatus is null or (t.paymentStatus = :paymentStatus and t.deliveryStatus is :deliveryStatus
        and (t.completedAt is not null) = :isCompleted))
      and (:search is null or t.id = :number or l.itemRef like :pattern escape '\\'
        or l.itemName like :pattern escape '\\' or t.buyerCharacterRef like :pattern escape '\\'
        or l.sellerCharacterRef like :pattern escape '\\')
    group by t.id order by t.id desc limit :count
  `)
  const dueMovesOf = database.prepare('select * from dueMoves where transactionId = ? order by dueAt')
  const listings = database.prepare(`
    select * from listings where (:before is null or id < :before) order by id desc limit :count
  `)
  const deliveries = database.prepare(`
    select d.*, l.itemRef, a.responseStatus as lastStatus, a.failure as lastFailure
    from webhookDeliveries d join transactions t on t.id = d.transactionId join listings l on l.id = t.listingId
      left join webhookAttempts a on a.id = (select max(id) from webhookAttempts where deliveryId = d.id)
    where (:before is null or d.id < :before) and (:state is null or d.state = :state)
      and (:event is null or d.event = :event)
    order by d.id desc limit :count
  `)
  const characters = database.prepare(`
    select * from characters where gameServerId = :gameServerId and characterRef > :after order by characterRef limit :count
  `)
  return {
    /** Rises with every row that was written, and with nothing else. */
    rowsChanged: (): number => Number(rowsChanged.get()?.['count']),
    /** How many transactions stand where. */
    stateCounts: () => stateCounts.all() as unknown as StateCount[],
    listingStatuses: () => listingStatuses.all() as unknown as { status: ListingStatus; count: number }[],
    pendingDeliveries: (): number => Number(pendingDeliveries.get()?.['count']),
    transactions({ before, count, state, search }: TransactionChoice): ListedTransaction[] {
      const { paymentStatus = null, deliveryStatus = null, isCompleted = 0 } = state ?? {}
      const pattern = search === null ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`
      // A whole number and nothing else: SQLite would read one out of the beginning of `2 swords`.
      const number = /^\d{1,15}$/.test(search ?? '') ? Number(search) : null
      const choice = { before, count, paymentStatus, deliveryStatus, isCompleted, search, number, pattern }
      return transactions.all(choice) as unknown as ListedTransaction[]
    },
    /** The moves that time will make of a transaction, the next one first. */
    dueMovesOf: (transactionId: number) => dueMovesOf.all(transactionId) as unknown as DueMoveRow[],
    listings: (choice: PageChoice) => listings.all({ ...choice }) as unknown as ListingRow[],
    deliveries: (choice: PageChoice & { state: WebhookDeliveryRow['state'] | null; event: WebhookEvent | null }) =>
      deliveries.all({ ...choice }) as unknown as ListedDelivery[],
    /** A game server's characters by name, those behind `after`. */
    characters: (gameServerId: number, { after, count }: { readonly after: string; readonly count: number }) =>
      characters
        .all({ gameServerId, after, count })
        .map((row): ListedCharacter => ({ characterRef: String(row['characterRef']), ...characterOf(row) })),
  }
}

/** Of `consoleQueries`. */
export type ConsoleQueries = ReturnType<typeof consoleQueries>
