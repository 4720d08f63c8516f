import { readEvent, type TransactionTerminal, type TransferOrder } from '../../contract/events.ts'
import type { OrderResult } from '../../contract/order-reply.ts'
import { type TerminalOutcome, terminalOutcome } from '../../contract/transaction.ts'
import { isOver, nextOrderPhase, type OrderPhase, type OrderTrigger } from './order-moves.ts'
import { contradiction, type ShownFields } from './shown-fields.ts'

/** A transaction in the ledger: its order, and how it ended. JSON. Times are Unix ms of this host. */
export interface Order {
  readonly transactionId: number
  readonly itemRef: string
  /** The `transfer_order` as the platform sent it, JSON text; null where only the terminal event arrived. */
  readonly orderText: string | null
  readonly phase: OrderPhase
  /** Counts the offers that need a reply of their own, from 1. */
  readonly generation: number
  /**
   * The state of the platform's last `transfer_order`, so that the next one is understood. `put-off`: a report of
   * `TEMPORARY` left for the platform, and nothing proves that it did not arrive. Only while it is `unacknowledged` may
   * the next one be a copy of it.
   */
  readonly lastTransfer: 'unacknowledged' | 'acknowledged' | 'put-off'
  readonly receivedAtMs: number
  /** When it came into its phase. */
  readonly sinceMs: number
  /** How often it was offered to the game server. */
  readonly offers: number
  /** When the platform sends a put-off order again; null where the platform did not say. */
  readonly retryAtMs: number | null
  /** What the game server replied; null where it reports by itself, or did not reply yet. */
  readonly result: OrderResult | null
  readonly detail: string | null
  /** Since when the platform says that it does not know the transaction; null while it says something else. */
  readonly unknownSinceMs: number | null
  /** What the platform accepted; null where it was not told through this agent. */
  readonly reported: OrderResult | null
  /** How a transaction that is over ended; null where that is not known. */
  readonly outcome: TerminalOutcome | null
  /** The `transaction_terminal` as the platform sent it, JSON text. */
  readonly terminalText: string | null
}

/** What a new generation of an order begins with. */
const fresh: Pick<
  Order,
  | 'lastTransfer'
  | 'offers'
  | 'retryAtMs'
  | 'result'
  | 'detail'
  | 'unknownSinceMs'
  | 'reported'
  | 'outcome'
  | 'terminalText'
> = {
  lastTransfer: 'acknowledged',
  ...{ offers: 0, retryAtMs: null, result: null, detail: null },
  ...{ unknownSinceMs: null, reported: null, outcome: null, terminalText: null },
}

/** An order that arrives for the first time, or in the place of another one of the same number. */
export function newOrder(event: TransferOrder, orderText: string, nowMs: number, generation = 1): Order {
  const { transactionId, itemRef } = event
  const arrived = { transactionId, itemRef, orderText, generation, receivedAtMs: nowMs, sinceMs: nowMs }
  return { ...arrived, ...fresh, phase: 'received', lastTransfer: 'unacknowledged' }
}

/** A transaction of which only the terminal event arrived. */
export function endedUnseen({ transactionId, itemRef }: TransactionTerminal, nowMs: number, generation = 1): Order {
  const arrived = { transactionId, itemRef, orderText: null, generation, receivedAtMs: nowMs, sinceMs: nowMs }
  return { ...arrived, ...fresh, phase: 'closed' }
}

/**
 * An order after a trigger; the same object where the trigger leaves it as it is.
 *
 * @returns undefined where the table refuses the trigger.
 */
export function moveOrder(order: Order, trigger: OrderTrigger, nowMs: number): Order | undefined {
  const move = nextOrderPhase(order.phase, trigger)
  if (!move) return undefined
  if (move.isNewGeneration)
    return { ...order, ...fresh, phase: move.to, generation: order.generation + 1, sinceMs: nowMs }
  return move.to === order.phase ? order : { ...order, phase: move.to, sinceMs: nowMs, retryAtMs: null }
}

/** The event of an order; undefined where only the terminal event arrived. */
export function eventOf({ orderText }: Pick<Order, 'orderText'>): TransferOrder | undefined {
  return orderText === null ? undefined : (JSON.parse(orderText) as TransferOrder)
}

/**
 * Whether a `transfer_order` is the known one of its number. A platform that was set up again gives the same numbers
 * again. An order that the ledger closed without knowing why, or without having seen it, does not count as known.
 */
export function isSameOrder(known: Order, event: TransferOrder): boolean {
  const before = eventOf(known)
  if (!before || (known.phase === 'closed' && known.outcome === null && known.reported === null)) return false
  return (
    Date.parse(before.paidAt) === Date.parse(event.paidAt) &&
    before.itemRef === event.itemRef &&
    before.quantity === event.quantity &&
    before.buyerCharacterRef === event.buyerCharacterRef
  )
}

/**
 * Whether a `transaction_terminal` is not about the known transaction: see `isSameOrder`. Only one that is over can be another.
 *
 * @param shown The transaction as the platform shows it now.
 */
export function isEndOfAnother(
  known: Order,
  { itemRef, paymentStatus, deliveryStatus }: TransactionTerminal,
  shown: ShownFields,
): boolean {
  const before = eventOf(known)
  const outcome = terminalOutcome(paymentStatus, deliveryStatus)
  const wasPaid = outcome !== 'EXPIRADA' && outcome !== 'CANCELADA'
  const isDifferentEnd =
    (outcome !== null && known.outcome !== null && outcome !== known.outcome) ||
    (known.reported === 'DELIVERED' && deliveryStatus === 'FALHOU') ||
    (known.reported === 'OUT_OF_STOCK' && deliveryStatus === 'ENTREGUE')
  const isDifferentOrder = before !== undefined && (!wasPaid || isShownDifferently(before, shown))
  return isOver(known.phase) && (itemRef !== known.itemRef || isDifferentEnd || isDifferentOrder)
}

function isShownDifferently(order: TransferOrder, shown: ShownFields): boolean {
  const { paidAt } = shown
  const paidMs = typeof paidAt === 'string' ? Date.parse(paidAt) : Number.NaN
  const isPaidAtAnotherTime = !Number.isNaN(paidMs) && paidMs !== Date.parse(order.paidAt)
  return isPaidAtAnotherTime || contradiction(shown, order, ['quantity', 'buyerCharacterRef']) !== undefined
}

/** Whether a `transaction_terminal` is a copy of the known one. */
export function isSameTerminal({ terminalText }: Order, { occurredAt }: TransactionTerminal): boolean {
  const known = terminalText === null ? undefined : readEvent(terminalText)
  return known?.event === 'transaction_terminal' && Date.parse(occurredAt) === Date.parse(known.occurredAt)
}

/** A clock that was set back by more than this is believed. */
const setBackMsMax = 24 * 3_600_000

/** Whether a change ends a transaction. */
export function isEnd(known: Order | undefined, order: Order): boolean {
  return isOver(order.phase) && !(known && isOver(known.phase) && order.sinceMs === known.sinceMs)
}

/**
 * Each end is later than the one before, although clocks are set back: a game server reads on from the last end that it
 * has seen.
 *
 * @param newestEndMs Unix ms; null before the first end.
 */
export function afterEarlierEnds(order: Order, newestEndMs: number | null): Order {
  const isLater = newestEndMs === null || order.sinceMs > newestEndMs || order.sinceMs < newestEndMs - setBackMsMax
  return isLater ? order : { ...order, sinceMs: newestEndMs + 1 }
}
