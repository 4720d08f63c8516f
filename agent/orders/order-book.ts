import type { TransactionTerminal, TransferOrder } from '../../contract/events.ts'
import type { TerminalOutcome } from '../../contract/transaction.ts'
import type { Clock } from '../clock/clock.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import { moveOrder, type Order, receiveEnd, receiveOrder } from './order.ts'
import type { OrderChange, OrderLedger, Survives } from './order-ledger.ts'
import { isOffered } from './order-moves.ts'

export interface OrderBookOptions {
  readonly ledger: OrderLedger
  readonly clock: Clock
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>
  /** Called after each change, once it counts. */
  readonly onChange: (order: Order) => void
  /** Called when the platform got an observation with an answer to it or with a report about a transaction. */
  readonly onObserved: (itemRef: string, observedQuantity: number) => Promise<void>
}

type Change = (known: Order | undefined, nowMs: number, observationOf: Parameters<OrderChange>[1]) => Order | undefined

/** The text of a log line, and its level if that is not info. */
interface Step {
  readonly msg: string
  readonly level?: 'debug' | 'warn'
  readonly cure?: string
}

/**
 * Everything that happens to orders, one method for each. A change counts when its promise resolves, and leaves one log
 * line with its `transactionId`. It is synced then, but for what may be lost in a power cut without harm: `countOffer`
 * and `acknowledge`.
 *
 * Each method returns what the ledger knows afterwards; undefined for a transaction that it does not know.
 *
 * @throws {StoreFullError} Every method that changes something: there is no space, and nothing was changed.
 */
export class OrderBook {
  readonly #options: OrderBookOptions

  constructor(options: OrderBookOptions) {
    this.#options = options
  }

  /** What the ledger knows of a transaction. */
  find(transactionId: number): Promise<Order | undefined> {
    return this.#options.ledger.find(transactionId)
  }

  /** Orders that are not closed, oldest first. */
  findOpen(): Promise<readonly Order[]> {
    return this.#options.ledger.findOpen()
  }

  /** Closed transactions whose end came at or after a moment (Unix ms), oldest first. */
  findClosedSince(sinceMs: number): Promise<readonly Order[]> {
    return this.#options.ledger.findClosedSince(sinceMs)
  }

  /** Transactions whose end the game server has not confirmed, oldest first. */
  findUnconfirmedEnds(): Promise<readonly Order[]> {
    return this.#options.ledger.findUnconfirmedEnds()
  }

  /** The game server saw how much of an item is left. */
  observe(itemRef: string, observedQuantity: number): Promise<void> {
    return this.#options.ledger.observe(itemRef, observedQuantity)
  }

  /** The platform got an observation of an order's item with a report about the order. */
  async observeReported({ itemRef }: Order, observedQuantity: number): Promise<void> {
    await this.observe(itemRef, observedQuantity)
    await this.#options.onObserved(itemRef, observedQuantity)
  }

  /** The platform sent an order. An order that is over stays over; one with a later payment is another one. */
  async receiveOrder(event: TransferOrder, text: string): Promise<Order> {
    const order = await this.#change(event.transactionId, { msg: 'order received' }, (known, nowMs, observationOf) =>
      withObservation(receiveOrder(known, event, text, nowMs), observationOf),
    )
    return order as Order
  }

  /** The platform sent the end of a transaction. It withdraws an order that was not taken. */
  async receiveEnd(event: TransactionTerminal, text: string): Promise<Order> {
    const step = (before: Order | undefined): Step => ({
      msg:
        before && isOffered(before.phase)
          ? 'order withdrawn: its transaction ended before the game server took it'
          : 'end of the transaction received',
    })
    const order = await this.#change(event.transactionId, step, (known, nowMs, observationOf) =>
      withObservation(receiveEnd(known, event, text, nowMs), observationOf),
    )
    return order as Order
  }

  /**
   * The game server has the order durably.
   *
   * @param generation Of the offer that the game server answers. The answer to an earlier one changes nothing.
   */
  take(transactionId: number, observedQuantity: number, generation?: number): Promise<Order | undefined> {
    return this.#change(transactionId, { msg: 'order taken by the game server' }, (known, nowMs) => {
      if (generation !== undefined && generation !== known?.generation) return undefined
      const taken = known && moveOrder(known, 'take', nowMs)
      return taken && { ...taken, observedQuantity }
    })
  }

  /** Our 2xx for this generation of the order has left. If a power cut undoes that, the order is offered once more. */
  async acknowledge(acknowledged: Order): Promise<Order | undefined> {
    const { transactionId, generation, itemRef, observedQuantity } = acknowledged
    if (observedQuantity !== null) await this.#options.onObserved(itemRef, observedQuantity)
    const change: Change = (known, nowMs) =>
      known?.generation === generation ? moveOrder(known, 'acknowledge', nowMs) : undefined
    return this.#change(transactionId, { msg: 'order acknowledged to the platform' }, change, 'kill')
  }

  /** The game server has the end of the transaction. */
  confirmEnd(transactionId: number): Promise<Order | undefined> {
    return this.#change(transactionId, { msg: 'end of the transaction handed on to the game server' }, (known) =>
      known?.endText && !known.isEndConfirmed ? { ...known, isEndConfirmed: true } : undefined,
    )
  }

  /**
   * The game server is about to report `TEMPORARY`: whatever comes of the report, the next order is a new one. A repeated
   * report is a change too, so that the platform's answer to an older question does not have the order offered again.
   */
  putOff(transactionId: number): Promise<Order | undefined> {
    const step = { msg: 'order put off: the game server reports TEMPORARY' }
    return this.#change(transactionId, step, (known, nowMs) => {
      const order = known && moveOrder(known, 'put-off', nowMs)
      return order && { ...order, sinceMs: nowMs }
    })
  }

  /** The platform said when it sends a put-off order again. */
  setRetryAt(transactionId: number, retryAtMs: number): Promise<Order | undefined> {
    return this.#change(transactionId, { msg: 'order put off until its retryAt' }, (known) =>
      known?.phase === 'put-off' ? { ...known, retryAtMs } : undefined,
    )
  }

  /** The platform accepted the delivery, or that the item is out of stock. */
  settle(transactionId: number, why: 'delivered' | 'out of stock'): Promise<Order | undefined> {
    return this.#change(
      transactionId,
      { msg: `order closed: ${why}` },
      (known, nowMs) => known && moveOrder(known, 'settle', nowMs),
    )
  }

  /** The platform was asked and still waits for the game server. */
  remind(asked: Order): Promise<Order | undefined> {
    const step = { msg: 'order open again: the platform still waits for its delivery' }
    return this.#afterQuestion(asked, step, (order, nowMs) => moveOrder(order, 'remind', nowMs))
  }

  /** The platform was asked, and the order is over. */
  closeAsked(asked: Order, outcome: TerminalOutcome | null): Promise<Order | undefined> {
    return this.#afterQuestion(asked, { msg: 'order closed: the platform says that it is over' }, (order, nowMs) => {
      const closed = moveOrder(order, 'settle', nowMs)
      return closed && { ...closed, outcome }
    })
  }

  /** The platform was asked and does not know the transaction. */
  loseAsked(asked: Order): Promise<Order | undefined> {
    const step: Step = { msg: 'order closed: the platform answers 404', level: 'warn', cure: cures.checkTransaction() }
    return this.#afterQuestion(asked, step, (order, nowMs) => moveOrder(order, 'lose', nowMs))
  }

  /** One more push of this generation to the game server. Only the first is a step; later ones are for debugging. */
  countOffer(transactionId: number, generation: number, isFirst: boolean): Promise<Order | undefined> {
    const step: Step = isFirst
      ? { msg: 'order offered to the game server' }
      : { msg: 'order offered to the game server once more', level: 'debug' }
    const change: Change = (known) =>
      known?.generation === generation ? { ...known, offers: known.offers + 1 } : undefined
    return this.#change(transactionId, step, change, 'kill')
  }

  /** Forgets what was closed before a moment (Unix ms); see the ledger for ends that nobody has confirmed. */
  async removeClosedBefore(beforeMs: number, unconfirmed: 'keep' | 'remove'): Promise<void> {
    for (const transactionId of await this.#options.ledger.removeClosedBefore(beforeMs, unconfirmed))
      this.#options.log.info({ transactionId }, 'order removed: it was closed 30 days ago')
  }

  /** Applies an answer of the platform, unless the order changed while the platform was asked: the answer is older. */
  #afterQuestion(
    asked: Order,
    step: Step,
    change: (order: Order, nowMs: number) => Order | undefined,
  ): Promise<Order | undefined> {
    return this.#change(asked.transactionId, step, (known, nowMs) =>
      known && isUnchanged(known, asked) ? change(known, nowMs) : undefined,
    )
  }

  async #change(
    transactionId: number,
    step: Step | ((before: Order | undefined) => Step),
    change: Change,
    survives: Survives = 'power-cut',
  ): Promise<Order | undefined> {
    const { ledger, clock, log, onChange } = this.#options
    let before: Order | undefined
    const observed: OrderChange = (known, observationOf) => {
      before = known
      return change(known, clock.wallMs(), observationOf)
    }
    const order = await ledger.change(transactionId, observed, survives)
    if (!order || order === before) return order
    onChange(order)
    if (before && isSameStep(before, order)) return order
    const { msg, level = 'info', cure } = typeof step === 'function' ? step(before) : step
    const { itemRef, phase, generation, offers, observedQuantity, retryAtMs, outcome } = order
    const retryAt = retryAtMs === null ? null : new Date(retryAtMs).toISOString()
    const line = { transactionId, itemRef, phase, generation, offers, observedQuantity, retryAt, outcome }
    log[level]({ ...line, ...(cure !== undefined && { cure }) }, msg)
    return order
  }
}

/** An order begins with what is known of its item: the answer to one that is over carries it too. */
function withObservation(order: Order, observationOf: Parameters<OrderChange>[1]): Order {
  const observedQuantity = order.observedQuantity ?? observationOf(order.itemRef)
  return observedQuantity === order.observedQuantity ? order : { ...order, observedQuantity }
}

/** Only the observation is newer. */
function isSameStep(before: Order, after: Order): boolean {
  return JSON.stringify({ ...before, observedQuantity: after.observedQuantity }) === JSON.stringify(after)
}

/** That our 2xx has left says nothing about what the game server does with the order. */
function isUnchanged(known: Order, asked: Order): boolean {
  if (known.generation !== asked.generation) return false
  if (known.phase === 'acknowledged' && asked.phase === 'taken') return true
  return known.phase === asked.phase && known.sinceMs === asked.sinceMs
}
