import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { WebhookEvent } from '../../contract/events.ts'
import type { ListingStatus } from '../../contract/listing.ts'
import type { DeliveryStatus, PaymentStatus } from '../../contract/transaction.ts'
import { characterOf } from './character-rows.ts'
import { firstSaleQuery } from './first-sale-query.ts'
import type { ListingRow } from './listing-rows.ts'
import type { OneOffRow } from './one-off-rows.ts'
import { statementsOf } from './statements.ts'
import type { DueMoveRow, TransactionRow } from './transaction-rows.ts'
import type { WebhookDeliveryRow } from './webhook-rows.ts'

/** A transaction as a line of a list: with what it buys. */
export type ListedTransaction = TransactionRow & Pick<ListingRow, 'itemRef' | 'itemName' | 'sellerCharacterRef'>

/** How many attempts have ended. One that was begun is counted by `attempts` before. */
interface Recorded {
  readonly recordedAttempts: number
}

/** A webhook of a transaction, with the last 2xx that the game server answered; null before one. */
export interface SentWebhook extends WebhookDeliveryRow, Recorded {
  readonly acknowledgedAt: number | null
  readonly answer: string | null
}

/** A delivery as a line of a list: with the answer to its last attempt. */
export interface ListedDelivery extends WebhookDeliveryRow, Recorded {
  readonly itemRef: string
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly failure: string | null
  readonly fault: string | null
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

/** A page of what fits a search; null for all. */
type SearchedPage = PageChoice & { readonly search: string | null }

/** Which deliveries are listed; null for all. */
interface DeliveryChoice extends PageChoice {
  /** An id, or part of what names the item or one of the characters; null for all. */
  readonly search: string | null
  readonly state: WebhookDeliveryRow['state'] | null
  readonly event: WebhookEvent | null
}

/** What the console reads beyond what the platform itself asks for. Every list has a bound, however much there is. */
export function consoleQueries(database: DatabaseSync) {
  const { all, count } = statementsOf(database)
  const transactions = all<ListedTransaction, [choice: object]>(`
    select t.*, l.itemRef, l.itemName, l.sellerCharacterRef from transactions t join listings l on l.id = t.listingId
    where (:before is null or t.id < :before)
      and (:paymentStatus is null or (t.paymentStatus = :paymentStatus and t.deliveryStatus is :deliveryStatus
        and (t.completedAt is not null) = :isCompleted))
      and (:search is null or t.id = :number or l.itemRef like :pattern escape '\\'
        or l.itemName like :pattern escape '\\' or t.buyerCharacterRef like :pattern escape '\\'
        or l.sellerCharacterRef like :pattern escape '\\')
    order by t.id desc limit :count
  `)
  const characters = all<Readonly<Record<string, SQLOutputValue>>, [choice: object]>(`
    select * from characters where gameServerId = :gameServerId and characterRef > :after order by characterRef limit :count
  `)
  const deliveries = all<ListedDelivery, [choice: object]>(`
    select d.*, l.itemRef, a.responseStatus, a.responseBody, a.failure, a.fault, coalesce(a.number, 0) as recordedAttempts
    from webhookDeliveries d join transactions t on t.id = d.transactionId join listings l on l.id = t.listingId
      left join webhookAttempts a on a.id = (select max(id) from webhookAttempts where deliveryId = d.id)
    where (:before is null or d.id < :before) and (:state is null or d.state = :state)
      and (:event is null or d.event = :event)
      and (:search is null or d.id = :number or d.transactionId = :number
        or l.itemRef like :pattern escape '\\' or t.buyerCharacterRef like :pattern escape '\\'
        or l.sellerCharacterRef like :pattern escape '\\')
    order by d.id desc limit :count
  `)
  const testEvents = all<OneOffRow, [choice: object]>(`
    select * from oneOffWebhooks where deliveryId is null and (:before is null or id < :before)
      and (:search is null or id = :number or payload ->> 'transactionId' = :number
        or payload ->> 'itemRef' like :pattern escape '\\' or payload ->> 'buyerCharacterRef' like :pattern escape '\\'
        or url like :pattern escape '\\')
    order by id desc limit :count
  `)
  return {
    firstSale: firstSaleQuery(database),
    /** Rises with every row that was written, and with nothing else. */
    rowsChanged: count('select total_changes()'),
    /** How many transactions are in each state. */
    stateCounts: all<StateCount>(`
      select paymentStatus, deliveryStatus, completedAt is not null as isCompleted, count(*) as count
      from transactions group by 1, 2, 3
    `),
    listingStatuses: all<{ status: ListingStatus; count: number }>(
      'select status, count(*) as count from listings group by status',
    ),
    pendingDeliveries: count(`select count(*) from webhookDeliveries where state = 'pending'`),
    transactions({ before, count, state, search }: TransactionChoice): ListedTransaction[] {
      const { paymentStatus = null, deliveryStatus = null, isCompleted = 0 } = state ?? {}
      return transactions({ before, count, paymentStatus, deliveryStatus, isCompleted, ...searching(search) })
    },
    /** The moves that time will make of a transaction, the next one first. */
    dueMovesOf: all<DueMoveRow, [transactionId: number]>(
      'select * from dueMoves where transactionId = ? order by dueAt',
    ),
    /** The newest webhooks of a transaction, oldest first. */
    webhooksOf: all<SentWebhook, [transactionId: number, count: number]>(`
      select * from (
        select d.*, a.at as acknowledgedAt, a.responseBody as answer, coalesce((
          select max(number) from webhookAttempts where deliveryId = d.id), 0) as recordedAttempts
        from webhookDeliveries d left join webhookAttempts a on a.id = (
          select max(id) from webhookAttempts where deliveryId = d.id and responseStatus between 200 and 299)
        where d.transactionId = ? order by d.id desc limit ?
      ) order by id
    `),
    listings: all<ListingRow, [choice: PageChoice]>(
      'select * from listings where (:before is null or id < :before) order by id desc limit :count',
    ),
    deliveries: ({ search, ...choice }: DeliveryChoice) => deliveries({ ...choice, ...searching(search) }),
    testEvents: ({ search, ...choice }: SearchedPage) => testEvents({ ...choice, ...searching(search) }),
    /** A game server's characters by name, those behind `after`. */
    characters: (gameServerId: number, choice: { readonly after: string; readonly count: number }) =>
      characters({ gameServerId, ...choice }).map((row) => ({
        characterRef: String(row['characterRef']),
        ...characterOf(row),
      })),
  }
}

/** What a statement compares with the text that is searched for. */
function searching(search: string | null) {
  const pattern = search === null ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`
  // A whole number and nothing else: SQLite would read one out of the beginning of `2 swords`.
  const number = /^\d{1,15}$/.test(search ?? '') ? Number(search) : null
  return { search, number, pattern }
}

/** Of `consoleQueries`. */
export type ConsoleQueries = ReturnType<typeof consoleQueries>
