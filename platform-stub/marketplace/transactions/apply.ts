import type { TransactionTerminal, TransferOrder } from '../../../contract/events.ts'
import { iso } from '../../clock/iso.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { FailureReport, TransactionRow } from '../../store/transaction-rows.ts'
import type { Platform } from '../platform.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { decideMove, type Effect, type TransactionEvent } from './moves.ts'

/**
 * Makes a move and writes everything that it brings about: the record, its history, money, stock, due moves and the
 * webhook deliveries.
 *
 * @param report What the game server added to its report of a failure, for the console.
 * @returns The transaction after the move, unchanged where the report was taken before; or TRANSACTION_MOVE_REFUSED where
 *   the trigger does not apply in the transaction's phase. Nothing is written then.
 */
export function moveTransaction(
  platform: Platform,
  transaction: TransactionRow,
  event: TransactionEvent,
  report: FailureReport = { detail: null, observedQuantity: null },
): TransactionRow | Refusal {
  const decision = decideMove(transaction, event, platform.settings)
  if (decision.kind === 'refused') return refuse('TRANSACTION_MOVE_REFUSED', transaction)
  if (decision.kind === 'repeated') return transaction
  const { transaction: moved, effects } = decision
  const { transactions } = platform.tables
  transactions.update(moved)
  transactions.insertHistory(moved.id, { ...event, ...pairOf(moved), ...report })
  for (const effect of effects) writeEffect(platform, moved, effect, event.at)
  return moved
}

function writeEffect(platform: Platform, transaction: TransactionRow, effect: Effect, at: number): void {
  const { transactions, listings, webhooks } = platform.tables
  const { id, listingId } = transaction
  switch (effect.kind) {
    case 'order':
      // An order that is still on its way is replaced: two of them would be tried on two schedules.
      webhooks.endOrders(id, at)
      queue(platform, transaction, transferOrderOf(platform, transaction), at, effect.at)
      break
    case 'terminal':
      webhooks.endOrders(id, at)
      queue(platform, transaction, terminalOf(platform, transaction, effect.reason, at), at, at)
      break
    case 'no-order':
      webhooks.endUnsentOrders(id, at)
      break
    case 'due':
      transactions.setDue({ transactionId: id, trigger: effect.trigger, dueAt: effect.at })
      break
    case 'not-due':
      transactions.clearDue(id, effect.trigger)
      break
    case 'sold':
      listings.addSold(listingId, effect.quantity, at)
      break
    case 'money':
      transactions.insertMoney(id, { kind: effect.move, amountCents: totalOf(transaction), at })
  }
}

function queue(
  platform: Platform,
  { id, gameServerId }: TransactionRow,
  payload: TransferOrder | TransactionTerminal,
  createdAt: number,
  nextAttemptAt: number,
): void {
  const { event } = payload
  const delivery = {
    gameServerId,
    transactionId: id,
    event,
    payload: JSON.stringify(payload),
    createdAt,
    nextAttemptAt,
  }
  platform.tables.webhooks.insert(delivery)
}

function transferOrderOf(platform: Platform, transaction: TransactionRow): TransferOrder {
  const { itemRef, sellerCharacterRef } = listingOf(platform, transaction)
  const { id, quantity, buyerCharacterRef, paidAt } = transaction
  if (paidAt === null) throw new Error(`transaction ${id} was ordered unpaid`)
  const event = 'transfer_order'
  return { event, transactionId: id, itemRef, quantity, buyerCharacterRef, sellerCharacterRef, paidAt: iso(paidAt) }
}

function terminalOf(
  platform: Platform,
  transaction: TransactionRow,
  reason: string | null,
  at: number,
): TransactionTerminal {
  const { itemRef } = listingOf(platform, transaction)
  const { id, paymentStatus, deliveryStatus } = transaction
  const event = 'transaction_terminal'
  return { event, transactionId: id, itemRef, paymentStatus, deliveryStatus, reason, occurredAt: iso(at) }
}

function totalOf({ quantity, unitAmountCents }: TransactionRow): number {
  return quantity * unitAmountCents
}

/** The listing that a transaction buys from. */
export function listingOf(platform: Platform, transaction: TransactionRow): ListingRow {
  const listing = platform.tables.listings.byId(transaction.listingId)
  if (!listing) throw new Error(`transaction ${transaction.id} has no listing`)
  return listing
}

function pairOf({ paymentStatus, deliveryStatus }: TransactionRow) {
  return { paymentStatus, deliveryStatus }
}
