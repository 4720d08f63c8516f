import { readEvent, type TransactionTerminal, type TransferOrder } from '../../contract/events.ts'
import type { OrderReply, OrderResult } from '../../contract/order-reply.ts'
import { type TerminalOutcome, terminalOutcome } from '../../contract/transaction.ts'
import { awaitsReply, nextOrderPhase, type OrderPhase, type OrderTrigger } from './order-moves.ts'

/** A transaction in the ledger: its order, and how it ended. Times are Unix ms of this host. */
export interface Order {
  readonly transactionId: number
  readonly itemRef: string
  /** The `transfer_order` as the platform sent it, JSON text; null where only the end of the transaction arrived. */
  readonly orderText: string | null
  readonly phase: OrderPhase
  /** Counts the offers that need a reply of their own, from 1. */
  readonly generation: number
  /** The platform sent this order, and our 2xx to it may not have reached the platform. */
  readonly isUnacknowledged: boolean
  readonly receivedAtMs: number
  /** When it came into its phase. */
  readonly sinceMs: number
  /** How often it was pushed to the game server. */
  readonly offers: number
  /** When the platform sends a put-off order again; null where the platform did not say. */
  readonly retryAtMs: number | null
  /** What the game server replied; null where it reports by itself, or did not reply yet. */
  readonly result: OrderResult | null
  readonly detail: string | null
  /** A report of `TEMPORARY` left for the platform, and nothing proves that it did not arrive. */
  readonly isTemporaryLeft: boolean
  /** Since when the platform says that it does not know the transaction; null while it says something else. */
  readonly unknownSinceMs: number | null
  /** What the platform accepted; null where it was not told through this agent. */
  readonly reported: OrderResult | null
  /** How a closed transaction ended; null where that is not known. */
  readonly outcome: TerminalOutcome | null
  /** The `transaction_terminal` as the platform sent it, JSON text. */
  readonly endText: string | null
  /** Whether the game server has confirmed the end. */
  readonly isEndConfirmed: boolean
}

const fresh = {
  offers: 0,
  retryAtMs: null,
  result: null,
  detail: null,
  isTemporaryLeft: false,
  unknownSinceMs: null,
  reported: null,
  outcome: null,
} as const

/** An order that arrives for the first time, or in the place of another one of the same number. */
export function newOrder(event: TransferOrder, orderText: string, nowMs: number, generation = 1): Order {
  const { transactionId, itemRef } = event
  const arrived = { transactionId, itemRef, orderText, generation, receivedAtMs: nowMs, sinceMs: nowMs }
  return { ...arrived, ...fresh, phase: 'received', isUnacknowledged: true, endText: null, isEndConfirmed: false }
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

/** The event of an order; undefined where only the end of the transaction arrived. */
export function eventOf({ orderText }: Pick<Order, 'orderText'>): TransferOrder | undefined {
  return orderText === null ? undefined : (JSON.parse(orderText) as TransferOrder)
}

/**
 * Whether a `transfer_order` is the known one of its number. A platform that was set up anew gives numbers again. What
 * the ledger closed without knowing why, or without having seen the order, does not count as known.
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

/** A known order after its `transfer_order` arrives again. */
export function receiveAgain(known: Order, nowMs: number): Order {
  const { phase, isUnacknowledged, isTemporaryLeft, result } = known
  // A result answers every copy of its order, but for TEMPORARY: the platform means a new transfer then.
  const isStored = phase === 'reporting' && result !== 'TEMPORARY'
  const isAnew = isTemporaryLeft || !(isUnacknowledged || isStored)
  const order = moveOrder(known, isAnew ? 'receive-anew' : 'receive', nowMs) ?? known
  return awaitsReply(order.phase) && !order.isUnacknowledged ? { ...order, isUnacknowledged: true } : order
}

/** An order after the game server replied to it; `contradicts` where it said something else before. */
export function replyTo(known: Order, reply: OrderReply, nowMs: number): Order | 'contradicts' | undefined {
  const { result, detail } = reply
  if (result !== null && known.result !== null) return known.result === result ? known : 'contradicts'
  if (result === null) return moveOrder(known, 'take', nowMs)
  const order = moveOrder(known, 'resolve', nowMs)
  return order && { ...order, result, detail }
}

/** A known transaction after its `transaction_terminal` arrives; the same object for a copy of a known end. */
export function receiveEnd(
  known: Order | undefined,
  event: TransactionTerminal,
  endText: string,
  nowMs: number,
): Order {
  if (known?.endText && isSameEnd(event, known.endText)) return known
  const { transactionId, itemRef } = event
  const unseen = { transactionId, itemRef, orderText: null, generation: 1, isUnacknowledged: false }
  const order: Order = known ?? {
    ...unseen,
    ...fresh,
    phase: 'closed',
    receivedAtMs: nowMs,
    sinceMs: nowMs,
    endText,
    isEndConfirmed: false,
  }
  const outcome = terminalOutcome(event.paymentStatus, event.deliveryStatus)
  const reported = order.reported ?? (agrees(order.result, event) ? order.result : null)
  // It ends now, also where the ledger has closed it before: what ended lately is listed by this moment.
  return { ...order, phase: 'closed', sinceMs: nowMs, outcome, reported, endText, isEndConfirmed: false }
}

function isSameEnd({ occurredAt }: TransactionTerminal, knownEndText: string): boolean {
  const known = readEvent(knownEndText)
  return known?.event === 'transaction_terminal' && Date.parse(occurredAt) === Date.parse(known.occurredAt)
}

/** Whether an end shows that the platform has accepted this result. */
function agrees(result: OrderResult | null, { deliveryStatus }: TransactionTerminal): boolean {
  return deliveryStatus === 'ENTREGUE'
    ? result === 'DELIVERED'
    : result === 'OUT_OF_STOCK' && deliveryStatus === 'FALHOU'
}
