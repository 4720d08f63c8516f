import type { DatabaseSync } from 'node:sqlite'
import type { DeliveryStatus, FailureReason, PaymentStatus, TransactionTrigger } from '../../contract/transaction.ts'
import type { ListedItem } from './listing-rows.ts'
import { statementsOf } from './statements.ts'

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
  'id' | 'gameServerId' | 'listingId' | 'quantity' | 'unitAmountCents'
> &
  Pick<TransactionRow, 'buyerCharacterRef' | 'checkoutToken' | 'createdAt' | 'expiresAt'>

/** What a game server adds to its report of a delivery that failed. */
export type FailureReport = Pick<HistoryRow, 'detail' | 'observedQuantity'>

/** One move of a transaction, with the phase after it; `detail` is the game server's own words. */
export interface HistoryRow {
  readonly at: number
  readonly trigger: TransactionTrigger | 'create'
  readonly paymentStatus: PaymentStatus
  readonly deliveryStatus: DeliveryStatus | null
  readonly detail: string | null
  /** The stock in a report of a failure; null for every other move. */
  readonly observedQuantity: number | null
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
export function transactionTables(database: DatabaseSync, onDue: () => void) {
  const { get, all, run, insert, nextId } = statementsOf(database)
  const insertTransaction = insert<TransactionRow>('transactions')(
    'id',
    'gameServerId',
    'listingId',
    'quantity',
    'unitAmountCents',
    'buyerCharacterRef',
    'paymentStatus',
    'checkoutToken',
    'createdAt',
    'expiresAt',
    'failureCount',
  )
  const insertHistory = insert<HistoryRow & { transactionId: number }>('transactionHistory')(
    'transactionId',
    'at',
    'trigger',
    'paymentStatus',
    'deliveryStatus',
    'detail',
    'observedQuantity',
  )
  const insertMoney = insert<MoneyRow & { transactionId: number }>('moneyMoves')(
    'transactionId',
    'kind',
    'amountCents',
    'at',
  )
  const setDue = insert<DueMoveRow>('dueMoves', { verb: 'insert or replace' })('transactionId', 'trigger', 'dueAt')
  return {
    nextId: nextId('transactions'),
    insert: (row: NewTransaction) =>
      insertTransaction({ ...row, paymentStatus: 'AGUARDANDO_PAGAMENTO', failureCount: 0 }) as TransactionRow,
    byId: get<TransactionRow, [id: number]>('select * from transactions where id = ?'),
    /** With what its record says about the listing: one statement where there would be two. */
    withListing: get<TransactionRow & ListedItem, [id: number]>(`
      select transactions.*, itemRef, gameItemId, itemName, sellerCharacterRef
      from transactions join listings on listings.id = transactions.listingId
      where transactions.id = ?
    `),
    byToken: get<TransactionRow, [token: string]>('select * from transactions where checkoutToken = ?'),
    /** Only these columns of the row ever change. */
    update: run<[row: TransactionRow]>(`
      update transactions set paymentStatus = :paymentStatus, deliveryStatus = :deliveryStatus, paidAt = :paidAt,
        deliveredAt = :deliveredAt, completedAt = :completedAt, failureReason = :failureReason,
        failureCount = :failureCount, retryAt = :retryAt
      where id = :id
    `),
    newest: all<TransactionRow, [count: number]>('select * from transactions order by id desc limit ?'),
    insertHistory(transactionId: number, row: HistoryRow): void {
      insertHistory({ ...row, transactionId })
    },
    historyOf: all<HistoryRow, [transactionId: number]>(`
      select at, trigger, paymentStatus, deliveryStatus, detail, observedQuantity from transactionHistory
      where transactionId = ? order by id
    `),
    insertMoney(transactionId: number, row: MoneyRow): void {
      insertMoney({ ...row, transactionId })
    },
    moneyOf: all<MoneyRow, [transactionId: number]>(
      'select kind, amountCents, at from moneyMoves where transactionId = ? order by at, kind',
    ),
    setDue(row: DueMoveRow): void {
      setDue(row)
      onDue()
    },
    clearDue: run<[transactionId: number, trigger: DueTrigger]>(
      'delete from dueMoves where transactionId = ? and trigger = ?',
    ),
    /** The move that is due first, come or not; equal times by transaction. */
    firstDue: get<DueMoveRow, []>('select * from dueMoves order by dueAt, transactionId limit 1'),
  }
}
