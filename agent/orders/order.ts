import { readEvent, type TransactionTerminal, type TransferOrder } from '../../contract/events.ts'
import { type TerminalOutcome, terminalOutcome } from '../../contract/transaction.ts'
import { nextOrderPhase, type OrderPhase, type OrderTrigger } from './order-moves.ts'

/** A transaction in the ledger: its order, and how it ended. Times are Unix ms of this host. */
export interface Order {
  readonly transactionId: number
  readonly itemRef: string
  /** The `transfer_order` as the platform sent it, JSON text; null where only the end of the transaction arrived. */
  readonly orderText: string | null
  /** When it was paid, or ended where no order arrived, in Unix ms. An order with a later payment is another one. */
  readonly paidAtMs: number
  readonly phase: OrderPhase
  /** Counts the offers that need a reply of their own, from 1. */
  readonly generation: number
  readonly receivedAtMs: number
  /** When it came into its phase. */
  readonly sinceMs: number
  /** How often it was pushed to the game server. */
  readonly offers: number
  /** When the platform sends a put-off order again; null where the platform did not say. */
  readonly retryAtMs: number | null
  /** The newest stock observation of the item that came through the agent while the ledger knows orders of it. */
  readonly observedQuantity: number | null
  /** How a closed transaction ended; null where that is not known. */
  readonly outcome: TerminalOutcome | null
  /** The `transaction_terminal` as the platform sent it, JSON text. */
  readonly endText: string | null
  /** Whether the game server has confirmed the end. */
  readonly isEndConfirmed: boolean
}

/** An order that arrives for the first time, or anew after an older one of the same number. */
export function newOrder(event: TransferOrder, orderText: string, nowMs: number, generation = 1): Order {
  return { ...emptyOrder(event, nowMs), orderText, paidAtMs: Date.parse(event.paidAt), generation }
}

/** A transaction of which only the end arrived: it was never paid, or its order comes late. */
function newEnd(event: TransactionTerminal, nowMs: number): Order {
  return { ...emptyOrder(event, nowMs), paidAtMs: Date.parse(event.occurredAt) }
}

function emptyOrder({ transactionId, itemRef }: TransferOrder | TransactionTerminal, nowMs: number): Order {
  return {
    transactionId,
    itemRef,
    orderText: null,
    paidAtMs: nowMs,
    phase: 'offered',
    generation: 1,
    receivedAtMs: nowMs,
    sinceMs: nowMs,
    offers: 0,
    retryAtMs: null,
    observedQuantity: null,
    outcome: null,
    endText: null,
    isEndConfirmed: false,
  }
}

/**
 * An order after a trigger; the same object where the trigger leaves it as it is.
 *
 * @returns undefined where the table refuses the trigger.
 */
export function moveOrder(order: Order, trigger: OrderTrigger, nowMs: number): Order | undefined {
  const move = nextOrderPhase(order.phase, trigger)
  if (!move) return undefined
  if (move.to === order.phase && !move.isNewGeneration) return order
  const generation = order.generation + (move.isNewGeneration ? 1 : 0)
  return { ...order, phase: move.to, generation, sinceMs: nowMs, retryAtMs: null }
}

/** A known order after a `transfer_order` arrives for its transaction. */
export function receiveOrder(known: Order | undefined, event: TransferOrder, orderText: string, nowMs: number): Order {
  if (!known) return newOrder(event, orderText, nowMs)
  if (Date.parse(event.paidAt) > known.paidAtMs) return newOrder(event, orderText, nowMs, known.generation + 1)
  return moveOrder(known, 'receive', nowMs) ?? known
}

/** A known transaction after its `transaction_terminal` arrives. */
export function receiveEnd(
  known: Order | undefined,
  event: TransactionTerminal,
  endText: string,
  nowMs: number,
): Order {
  if (known?.endText && !isLater(event, known.endText)) return known
  const order = known ?? newEnd(event, nowMs)
  const outcome = terminalOutcome(event.paymentStatus, event.deliveryStatus)
  // It ends now, also where the ledger has closed it before: what ended lately is listed by this moment.
  return { ...(moveOrder(order, 'end', nowMs) ?? order), sinceMs: nowMs, outcome, endText, isEndConfirmed: false }
}

/** Whether an end is that of another transaction, because a platform that was set up anew counts from the beginning. */
function isLater({ occurredAt }: TransactionTerminal, knownEndText: string): boolean {
  const known = readEvent(knownEndText)
  return known?.event === 'transaction_terminal' && Date.parse(occurredAt) > Date.parse(known.occurredAt)
}
