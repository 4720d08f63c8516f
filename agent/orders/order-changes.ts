import type { TransactionTerminal, TransferOrder } from '../../contract/events.ts'
import type { OrderReply, OrderResult } from '../../contract/order-reply.ts'
import { type TerminalOutcome, terminalOutcome } from '../../contract/transaction.ts'
import { cures } from '../language/cures.ts'
import {
  endedUnseen,
  eventOf,
  isEndOfAnother,
  isSameOrder,
  isSameTerminal,
  moveOrder,
  newOrder,
  type Order,
} from './order.ts'
import { awaitsReply, isOver } from './order-moves.ts'
import type { ShownFields } from './shown-fields.ts'

/** What a change makes of an order, and the line that it leaves in the log. */
export interface Changing {
  /** The same object where nothing changes; null to remove it. */
  readonly order: Order | null
  readonly msg: string
  /** `info` if it is left out, and `warn` with a cure. */
  readonly level?: 'debug' | 'warn'
  readonly cure?: string | undefined
}

/**
 * Everything that happens to orders: a pure function for each. It gets what the ledger knows, and returns undefined where
 * it is not about that.
 */
export type OrderChange = (known: Order | undefined, nowMs: number) => Changing | undefined

/** What the platform's states say about the delivery of a transaction that is over. */
export interface PlatformEnd {
  readonly deliveryStatus: string | null
  readonly outcome: TerminalOutcome | null
}

const dayMs = 24 * 3_600_000
const detailMax = 1_000

/** Lines of the log by which the tests know a change. */
export const orderLines = {
  received: 'order received',
  taken: 'order taken by the game server',
  putOff: 'order put off until its retryAt',
  openAgain: 'order open again: the platform still waits for its delivery',
} as const

/** The platform sent an order. One that is over stays over. Not for another order under the number of a known one. */
export function receiveOrder(event: TransferOrder, text: string): OrderChange {
  return (known, nowMs) => {
    const msg = orderLines.received
    if (!known) return { order: newOrder(event, text, nowMs), msg }
    if (!isSameOrder(known, event)) return undefined
    // A result answers every copy of its order, except TEMPORARY: the platform means a new transfer then.
    const isStored = known.phase === 'reporting' && known.result !== 'TEMPORARY'
    const isCopy = known.lastTransfer === 'unacknowledged' || (isStored && known.lastTransfer === 'acknowledged')
    const order = moveOrder(known, isCopy ? 'receive' : 'receive-anew', nowMs) ?? known
    const isAnswered = awaitsReply(order.phase) && (order !== known || order.lastTransfer === 'acknowledged')
    return { order: isAnswered ? { ...order, lastTransfer: 'unacknowledged' } : order, msg }
  }
}

/** The platform waits for an order under a number that the ledger knew for another one. A copy of it may have come first. */
export function replaceOrder(event: TransferOrder, text: string): OrderChange {
  return (known, nowMs) =>
    known && isSameOrder(known, event)
      ? receiveOrder(event, text)(known, nowMs)
      : {
          order: newOrder(event, text, nowMs, (known?.generation ?? 0) + 1),
          msg: 'order received under the number of an earlier one',
        }
}

/**
 * The platform sent the terminal event and confirmed it. It withdraws an order that was not taken.
 *
 * @param shown The transaction as the platform shows it now.
 */
export function receiveTerminal(event: TransactionTerminal, terminalText: string, shown: ShownFields): OrderChange {
  return (known, nowMs) => {
    if (known && isSameTerminal(known, event)) return { order: known, msg: '' }
    const { paymentStatus, deliveryStatus } = event
    const end = { deliveryStatus, outcome: terminalOutcome(paymentStatus, deliveryStatus) }
    const unseen = () => endedUnseen(event, nowMs, (known?.generation ?? 0) + 1)
    const ended = endOrder(known && !isEndOfAnother(known, event, shown) ? known : unseen(), 'end', end, nowMs)
    // It ends now, also where the ledger has closed it before: what ended lately is listed by this moment.
    const order = { ...ended.order, sinceMs: nowMs, terminalText }
    return known && awaitsReply(known.phase)
      ? { order, msg: 'order withdrawn: its transaction ended before the game server took it' }
      : { ...ended, order, msg: 'terminal event received' }
  }
}

/** The game server has this terminal event. A later one of the same number may have taken its place. */
export function confirmTerminal({ terminalText }: Order): OrderChange {
  return (known, nowMs) =>
    known?.phase === 'ended' && known.terminalText === terminalText
      ? {
          // Lists of ended transactions are sorted by the moment of their end.
          order: { ...(moveOrder(known, 'close', nowMs) as Order), sinceMs: known.sinceMs },
          msg: 'terminal event handed on to the game server',
        }
      : undefined
}

/** A reply of the game server. The first result counts; the same reply again changes nothing. */
export function takeReply({ result, detail, observedQuantity }: OrderReply): OrderChange {
  return (known, nowMs) => {
    if (!known) return undefined
    const msg = result === null ? orderLines.taken : `order answered by the game server: ${result}`
    if (result !== null && known.result !== null) return known.result === result ? { order: known, msg } : undefined
    const order = moveOrder(known, result === null ? 'take' : 'resolve', nowMs)
    if (!order || result === null) return order && { order, msg }
    return {
      order: { ...order, result, detail: detail && shorten(detail) },
      msg,
      cure: cureOfStock(known, result, observedQuantity),
    }
  }
}

/** The platform refused a report for its content. The detail is only for logs, so it must not keep the order open. */
export function dropDetail(reported: Order): OrderChange {
  return (known) =>
    known?.detail !== null && known?.phase === 'reporting' && isAskedOrder(known, reported)
      ? { order: { ...known, detail: null }, msg: 'report refused: it is made again without its detail' }
      : undefined
}

/** Our 2xx for this generation of the order has left. If a power cut undoes that, the order is offered once more. */
export function acknowledge(generation: number): OrderChange {
  return (known) =>
    known?.generation === generation && known.lastTransfer === 'unacknowledged'
      ? { order: { ...known, lastTransfer: 'acknowledged' }, msg: 'order acknowledged to the platform' }
      : undefined
}

/** A report of `TEMPORARY` is about to leave: whatever its result is, the next order is a new one. */
export const noteTemporary: OrderChange = (known) =>
  known && !isOver(known.phase) && known.lastTransfer !== 'put-off'
    ? { order: { ...known, lastTransfer: 'put-off' }, msg: 'TEMPORARY is about to be reported' }
    : undefined

/** The first report of `TEMPORARY` certainly did nothing: only a lost 2xx makes the platform send its order again. */
export const withdrawTemporary: OrderChange = (known) =>
  known && {
    order: { ...known, lastTransfer: 'unacknowledged' },
    msg: 'TEMPORARY was not accepted: nothing is put off',
  }

/** The platform accepted `TEMPORARY`, and said when it sends the order again. */
export function putOff(retryAtMs: number | null): OrderChange {
  return (known, nowMs) => {
    const order = known && moveOrder(known, 'put-off', nowMs)
    // What the platform was asked before is older than this.
    return (
      order && {
        order: { ...order, sinceMs: nowMs, retryAtMs, lastTransfer: 'put-off' },
        msg: orderLines.putOff,
      }
    )
  }
}

/** The platform accepted the delivery, or that the item is out of stock. */
export function settle(reported: OrderResult, observedQuantity = 0): OrderChange {
  return (known, nowMs) => {
    if (!known || isOver(known.phase)) return undefined
    const order = moveOrder(known, 'close', nowMs) as Order
    // A result of the game server was judged when it came.
    const cure = known.result === null ? cureOfStock(known, reported, observedQuantity) : undefined
    return { order: { ...order, reported }, msg: `order closed: the platform accepted ${reported}`, cure }
  }
}

/** The platform was asked about an order, and waits for the game server. */
export function expectDelivery(asked: Order): OrderChange {
  return (known, nowMs) => {
    if (!known || !isAskedOrder(known, asked)) return undefined
    // It was taken or put off after the question: the answer is older.
    const isOlder = !awaitsReply(known.phase) && (known.phase !== asked.phase || known.sinceMs !== asked.sinceMs)
    const order = withoutDoubt((isOlder ? undefined : moveOrder(known, 'await', nowMs)) ?? known)
    const isAgain = order.generation !== known.generation
    return {
      order,
      msg: isAgain ? orderLines.openAgain : 'order confirmed by the platform',
    }
  }
}

/** The platform was asked, and answered about the transaction. */
export function recognize(asked: Order): OrderChange {
  return (known) =>
    known && isAskedOrder(known, asked)
      ? { order: withoutDoubt(known), msg: 'the platform knows the transaction again' }
      : undefined
}

/** The platform was asked, and the order is over. That is final, whatever the game server did meanwhile. */
export function closeAsked(asked: Order, end: PlatformEnd): OrderChange {
  return (known, nowMs) => {
    if (!known || !isAskedOrder(known, asked) || isOver(known.phase)) return undefined
    return { ...endOrder(known, 'close', end, nowMs), msg: 'order closed: the platform says that it is over' }
  }
}

/**
 * The platform was asked and does not know the transaction. An order that it never knew is removed. Another one stays
 * open and is closed after a day of nothing else.
 *
 * @param dayClockMs A clock whose day no jump ends.
 */
export function doubt(asked: Order, cause: string, dayClockMs: number): OrderChange {
  return (known, nowMs) => {
    if (!known || !isAskedOrder(known, asked) || isOver(known.phase)) return undefined
    // The platform has not confirmed the order yet, under any generation.
    if (known.phase === 'received' && known.generation === 1)
      return { order: null, msg: `order refused: ${cause}`, cure: cures.checkWhoseOrder() }
    const cure = cures.checkTransaction()
    // An earlier process may have had a clock that was ahead.
    if (known.unknownSinceMs === null || known.unknownSinceMs > dayClockMs)
      return { order: { ...known, unknownSinceMs: dayClockMs }, msg: `order kept open for a day: ${cause}`, cure }
    if (dayClockMs - known.unknownSinceMs < dayMs) return undefined
    return { order: moveOrder(known, 'close', nowMs) as Order, msg: `order closed after a day: ${cause}`, cure }
  }
}

/** One more offer of this generation to the game server. Only the first is a step; later ones are for debugging. */
export function countOffer(generation: number): OrderChange {
  return (known) =>
    known?.generation === generation
      ? {
          order: { ...known, offers: known.offers + 1 },
          ...(known.offers === 0
            ? { msg: 'order offered to the game server' }
            : { msg: 'order offered to the game server once more', level: 'debug' }),
        }
      : undefined
}

/** What a transaction that is over says about the game server's result: accepted, or what staff must do. */
function endOrder(known: Order, trigger: 'end' | 'close', { deliveryStatus, outcome }: PlatformEnd, nowMs: number) {
  const { result } = known
  const isDelivered = deliveryStatus === 'ENTREGUE'
  const isAccepted = isDelivered ? result === 'DELIVERED' : result === 'OUT_OF_STOCK' && deliveryStatus === 'FALHOU'
  const order = moveOrder(known, trigger, nowMs) ?? known
  const ended: Order = {
    ...order,
    outcome: outcome ?? order.outcome,
    reported: order.reported ?? (isAccepted ? result : null),
  }
  return { order: ended, cure: isOver(known.phase) ? undefined : cureOfEnd(result, isDelivered) }
}

/** What staff must do where a transaction ended against what the game server did; undefined where nothing. */
function cureOfEnd(result: OrderResult | null, isDelivered: boolean): string | undefined {
  if (result === 'DELIVERED') return isDelivered ? undefined : cures.takeBack()
  return result !== null && isDelivered ? cures.checkDelivered() : undefined
}

/**
 * What staff must do about a result that came after the end of its order. Undefined if there is nothing to do, or if nobody knows
 * how the transaction ended.
 */
export function cureOfLateResult({ outcome, reported }: Order, result: OrderResult): string | undefined {
  if (outcome === 'ESTORNADA' || reported === 'OUT_OF_STOCK') return cureOfEnd(result, false)
  return outcome === 'CONCLUIDA' || reported === 'DELIVERED' ? cureOfEnd(result, true) : undefined
}

/** What a person must do where `OUT_OF_STOCK` comes with a stock that covers the order: a refund cannot be undone. */
function cureOfStock(known: Order, result: OrderResult, observedQuantity: number): string | undefined {
  const ordered = eventOf(known)?.quantity ?? Number.POSITIVE_INFINITY
  return result === 'OUT_OF_STOCK' && observedQuantity >= ordered ? cures.reportTemporary() : undefined
}

/** An answer of the platform does not apply to a later order of its number. */
function isAskedOrder(known: Order, asked: Order): boolean {
  return known.generation === asked.generation && known.orderText === asked.orderText
}

/** A reply by HTTP may be longer than a request to the platform. */
function shorten(detail: string): string {
  const characters = [...detail]
  return characters.length > detailMax ? `${characters.slice(0, detailMax).join('')}…` : detail
}

function withoutDoubt(order: Order): Order {
  return order.unknownSinceMs === null ? order : { ...order, unknownSinceMs: null }
}
