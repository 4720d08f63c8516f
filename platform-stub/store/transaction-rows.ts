import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryStatus, FailureReason, PaymentStatus, TransactionTrigger } from '../../contract/transaction.ts'
import type { ListedItem } from './listing-rows.ts'

/** A purchase with both axes of its state. Times are Unix ms of the stub's clock; null for what has not come. */
export interface TransactionRow {
  readonly id: number
  readonly gameServerId: number
  readonly listingId: number
  readonly quantity: number
  readonly unitAmountCents: number
  readonly buyerCharacterRef: string
  readonly paymentStatus: PaymentStatus
  readonly deliveryStatus: DeliveryStatus | null
  readonly checkoutToken: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly paidAt: number | null
  readonly deliveredAt: number | null
  readonly completedAt: number | null
  readonly failureReason: FailureReason | null
  /** TEMPORARY failures so far: the next one's retryAt follows from it. */
  readonly failureCount: number
  readonly retryAt: number | null
}

/** A purchase that waits for its payment. */
export type NewTransaction = Pick<
  TransactionRow,
  | 'id'
  | 'gameServerId'
  | 'listingId'
  | 'quantity'
  | 'unitAmountCents'
  | 'buyerCharacterRef'
  | 'checkoutToken'
  | 'createdAt'
  | 'expiresAt'
>

/** One move of a transaction, with where it led; `detail` is the game server's own words. */
export interface HistoryRow {
  readonly at: number
  readonly trigger: TransactionTrigger | 'create'
  readonly paymentStatus: PaymentStatus
  readonly deliveryStatus: DeliveryStatus | null
  readonly detail: string | null
}

/** Money that moved for a transaction, at most once of each kind. */
export interface MoneyRow {
  readonly kind: 'payment' | 'refund'
  readonly amountCents: number
  readonly at: number
}

/** A move that time makes. */
export type DueTrigger = Extract<TransactionTrigger, 'expire' | 'refund' | 'complete'>

/** A move that is due at a moment, Unix ms of the stub's clock, unless another comes before. */
export interface DueMoveRow {
  readonly transactionId: number
  readonly trigger: DueTrigger
  readonly dueAt: number
}

/** Transactions with their history, their money and the moves that are due to them. */
export function transactionTables(database: DatabaseSync, somethingIsDue: () => void) {
  const nextId = database.prepare(
    `select coalesce(max(seq), 0) + 1 as id from sqlite_sequence where name = 'transactions'`,
  )
  const insert = database.prepare(`
    insert into transactions (id, gameServerId, listingId, quantity, unitAmountCents, buyerCharacterRef, paymentStatus,
      checkoutToken, createdAt, expiresAt, failureCount)
    values (:id, :gameServerId, :listingId, :quantity, :unitAmountCents, :buyerCharacterRef, 'AGUARDANDO_PAGAMENTO',
      :checkoutToken, :createdAt, :expiresAt, 0)
    returning *
  `)
  const byId = database.prepare('select * from transactions where id = ?')
  const withListing = database.prepare(`
    select transactions.*, itemRef, gameItemId, itemName, sellerCharacterRef
    from transactions join listings on listings.id = transactions.listingId
    where transactions.id = ?
  `)
  const byToken = database.prepare('select * from transactions where checkoutToken = ?')
  const update = database.prepare(`
    update transactions set paymentStatus = :paymentStatus, deliveryStatus = :deliveryStatus, paidAt = :paidAt,
      deliveredAt = :deliveredAt, completedAt = :completedAt, failureReason = :failureReason,
      failureCount = :failureCount, retryAt = :retryAt
    where id = :id
  `)
  // It is given whole rows, of which these columns alone ever change.
  update.setAllowUnknownNamedParameters(true)
  const newest = database.prepare('select * from transactions order by id desc limit ?')
  const insertHistory = database.prepare(`
    insert into transactionHistory (transactionId, at, trigger, paymentStatus, deliveryStatus, detail)
    values (?, ?, ?, ?, ?, ?)
  `)
  const historyOf = database.prepare(
    'select at, trigger, paymentStatus, deliveryStatus, detail from transactionHistory where transactionId = ? order by id',
  )
  const insertMoney = database.prepare(
    'insert into moneyMoves (transactionId, kind, amountCents, at) values (?, ?, ?, ?)',
  )
  const moneyOf = database.prepare(
    'select kind, amountCents, at from moneyMoves where transactionId = ? order by at, kind',
  )
  const setDue = database.prepare('insert or replace into dueMoves (transactionId, trigger, dueAt) values (?, ?, ?)')
  const clearDue = database.prepare('delete from dueMoves where transactionId = ? and trigger = ?')
  const firstDue = database.prepare('select * from dueMoves order by dueAt, transactionId limit 1')
  return {
    nextId: (): number => Number(nextId.get()?.['id']),
    insert: (row: NewTransaction) => insert.get({ ...row }) as unknown as TransactionRow,
    byId: (id: number) => byId.get(id) as unknown as TransactionRow | undefined,
    /** With what its record says of the listing: one statement where there would be two. */
    withListing: (id: number) => withListing.get(id) as unknown as (TransactionRow & ListedItem) | undefined,
    byToken: (token: string) => byToken.get(token) as unknown as TransactionRow | undefined,
    update: (row: TransactionRow): void => void update.run({ ...row }),
    newest: (count: number) => newest.all(count) as unknown as TransactionRow[],
    insertHistory: (transactionId: number, row: HistoryRow): void =>
      void insertHistory.run(transactionId, row.at, row.trigger, row.paymentStatus, row.deliveryStatus, row.detail),
    historyOf: (transactionId: number) => historyOf.all(transactionId) as unknown as HistoryRow[],
    insertMoney: (transactionId: number, row: MoneyRow): void =>
      void insertMoney.run(transactionId, row.kind, row.amountCents, row.at),
    moneyOf: (transactionId: number) => moneyOf.all(transactionId) as unknown as MoneyRow[],
    setDue(row: DueMoveRow): void {
      setDue.run(row.transactionId, row.trigger, row.dueAt)
      somethingIsDue()
    },
    clearDue: (transactionId: number, trigger: DueTrigger): void => void clearDue.run(transactionId, trigger),
    /** The move that is due first, come or not; equal times by transaction. */
    firstDue: () => firstDue.get() as unknown as DueMoveRow | undefined,
  }
}
