import type { TransactionTerminal, TransferOrder } from '../../contract/events.ts'
import type { OrderReply, OrderResult } from '../../contract/order-reply.ts'
import type { TerminalOutcome } from '../../contract/transaction.ts'
import type { Clock } from '../clock/clock.ts'
import { windowClock } from '../clock/window-clock.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import { isSameOrder, moveOrder, newOrder, type Order, receiveAgain, receiveEnd, replyTo } from './order.ts'
import type { ChangeOptions, OrderLedger } from './order-ledger.ts'
import { awaitsReply } from './order-moves.ts'
import { cureOfEnd } from './report-fate.ts'
import { warnOfStock } from './warn-of-stock.ts'

export interface OrderBookOptions {
  readonly ledger: OrderLedger
  readonly clock: Clock
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>
  /** Called after each change, once it counts; with undefined where the transaction was removed. */
  readonly onChange: (transactionId: number, order: Order | undefined) => void
  /** Called when the platform got an observation with an answer to it or with a report about a transaction. */
  readonly onObserved: (itemRef: string, observedQuantity: number) => Promise<void>
}

/** What came of a reply of the game server. */
export type Replied = Order | 'unknown' | 'closed' | 'contradicts'

type Change = (known: Order | undefined, nowMs: number) => Order | null | undefined

/** The text of a log line, and its level if that is not info. */
interface Step {
  readonly msg: string
  readonly level?: 'debug' | 'warn'
  readonly cure?: string | undefined
}

const dayMs = 24 * 3_600_000

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
  readonly ledger: OrderLedger
  readonly #options: OrderBookOptions
  /** For what must last a day: no jump of the clock ends it. */
  readonly #dayClockMs: () => number

  constructor(options: OrderBookOptions) {
    this.#options = options
    this.ledger = options.ledger
    this.#dayClockMs = windowClock(options.clock, dayMs)
  }

  /**
   * The platform sent an order. One that is over stays over.
   *
   * @returns undefined, and nothing is changed, where the ledger knows another order, or none that it can compare, under
   *   this number: the platform must be asked first.
   */
  async receiveOrder(event: TransferOrder, text: string): Promise<Order | undefined> {
    let isOther = false
    const order = await this.#change(event.transactionId, { msg: 'order received' }, (known, nowMs) => {
      isOther = known !== undefined && !isSameOrder(known, event)
      if (isOther) return undefined
      return known ? receiveAgain(known, nowMs) : newOrder(event, text, nowMs)
    })
    return isOther ? undefined : order
  }

  /** The platform waits for an order under a number that the ledger knew for another one. */
  async replaceOrder(event: TransferOrder, text: string): Promise<Order> {
    const step = { msg: 'order received under the number of an earlier one' }
    const order = await this.#change(event.transactionId, step, (known, nowMs) =>
      newOrder(event, text, nowMs, (known?.generation ?? 0) + 1),
    )
    return order as Order
  }

  /** The platform sent the end of a transaction, and confirmed it. It withdraws an order that was not taken. */
  async receiveEnd(event: TransactionTerminal, text: string): Promise<Order> {
    const step = (before: Order | undefined): Step => {
      if (before && awaitsReply(before.phase))
        return { msg: 'order withdrawn: its transaction ended before the game server took it' }
      const cure =
        before?.phase === 'closed' ? undefined : cureOfEnd(before?.result ?? null, event.deliveryStatus === 'ENTREGUE')
      return { msg: 'end of the transaction received', ...(cure !== undefined && { level: 'warn', cure }) }
    }
    const order = await this.#change(event.transactionId, step, (known, nowMs) => receiveEnd(known, event, text, nowMs))
    return order as Order
  }

  /**
   * The game server replied to an order. The first result counts; the same reply again changes nothing.
   *
   * @param generation Of the offer that the game server answers. The answer to an earlier one changes nothing.
   */
  async reply(transactionId: number, reply: OrderReply, generation?: number): Promise<Replied> {
    let replied = 'unknown' as Replied
    const { result, observedQuantity } = reply
    const step = {
      msg: result === null ? 'order taken by the game server' : `order answered by the game server: ${result}`,
    }
    const order = await this.#change(
      transactionId,
      step,
      (known, nowMs) => {
        if (!known || known.phase === 'received') return undefined
        if (generation !== undefined && generation !== known.generation) return undefined
        const after = replyTo(known, reply, nowMs)
        replied = after === undefined ? 'closed' : after === 'contradicts' ? after : known
        return typeof after === 'object' ? after : undefined
      },
      { observedQuantity },
    )
    if (result === 'OUT_OF_STOCK' && typeof replied === 'object')
      warnOfStock(order, observedQuantity, this.#options.log)
    if (replied === 'contradicts') {
      const cure = cures.replyOneResult()
      this.#options.log.warn(
        { transactionId, result, first: order?.result, cure },
        'a result contradicts the first one',
      )
    }
    return typeof replied === 'object' && order ? order : replied
  }

  /** Our 2xx for this generation of the order has left. If a power cut undoes that, the order is offered once more. */
  async acknowledge({ transactionId, generation, itemRef }: Order): Promise<Order | undefined> {
    const observedQuantity = await this.ledger.observationOf(itemRef)
    if (observedQuantity !== null) await this.#options.onObserved(itemRef, observedQuantity)
    return this.#change(
      transactionId,
      { msg: 'order acknowledged to the platform' },
      (known) =>
        known?.generation === generation && known.isUnacknowledged ? { ...known, isUnacknowledged: false } : undefined,
      { survives: 'kill' },
    )
  }

  /** The platform got an observation of an order's item with a report about the order. */
  async observeReported(itemRef: string, observedQuantity: number): Promise<void> {
    await this.ledger.observe(itemRef, observedQuantity)
    await this.#options.onObserved(itemRef, observedQuantity)
  }

  /** The game server has the end of the transaction. */
  confirmEnd(transactionId: number): Promise<Order | undefined> {
    return this.#change(transactionId, { msg: 'end of the transaction handed on to the game server' }, (known) =>
      known?.endText && !known.isEndConfirmed ? { ...known, isEndConfirmed: true } : undefined,
    )
  }

  /**
   * A report of `TEMPORARY` is about to leave: whatever comes of it, the next order is a new one.
   *
   * @returns Whether it is the first one. Only then may `returnTemporary` follow.
   */
  async leaveTemporary(transactionId: number): Promise<boolean> {
    let isFirst = false
    await this.#change(transactionId, { msg: 'TEMPORARY is about to be reported' }, (known) => {
      isFirst = known !== undefined && known.phase !== 'closed' && !known.isTemporaryLeft
      return known && isFirst ? { ...known, isTemporaryLeft: true } : undefined
    })
    return isFirst
  }

  /** The report of `TEMPORARY` certainly did nothing. */
  returnTemporary(transactionId: number): Promise<Order | undefined> {
    return this.#change(transactionId, { msg: 'TEMPORARY was not accepted: nothing is put off' }, (known) =>
      known?.isTemporaryLeft ? { ...known, isTemporaryLeft: false } : undefined,
    )
  }

  /** The platform accepted `TEMPORARY`, and said when it sends the order again. */
  putOff(transactionId: number, retryAtMs: number | null, generation?: number): Promise<Order | undefined> {
    return this.#change(transactionId, { msg: 'order put off until its retryAt' }, (known, nowMs) => {
      if (generation !== undefined && generation !== known?.generation) return undefined
      const order = known && moveOrder(known, 'put-off', nowMs)
      // What the platform was asked before is older than this.
      return order && { ...order, sinceMs: nowMs, retryAtMs, isTemporaryLeft: true }
    })
  }

  /** The platform accepted the delivery, or that the item is out of stock. */
  settle(transactionId: number, reported: OrderResult): Promise<Order | undefined> {
    return this.#change(transactionId, { msg: `order closed: the platform accepted ${reported}` }, (known, nowMs) => {
      const closed = known && moveOrder(known, 'close', nowMs)
      return closed && known?.phase !== 'closed' ? { ...closed, reported } : undefined
    })
  }

  /** The platform was asked and waits for the game server. */
  prove(asked: Order): Promise<Order | undefined> {
    return this.#afterQuestion(asked, { msg: 'order confirmed by the platform' }, (known, nowMs) => {
      if (!awaitsReply(known.phase)) return undefined
      return withoutDoubt(moveOrder(known, 'prove', nowMs) ?? known)
    })
  }

  /** A sweep learned that the platform still waits for an order that the game server had. */
  remind(asked: Order): Promise<Order | undefined> {
    const step = { msg: 'order open again: the platform still waits for its delivery' }
    return this.#afterQuestion(asked, step, (known, nowMs) =>
      // It was taken or put off after the question: the answer is older.
      known.phase === asked.phase && known.sinceMs === asked.sinceMs
        ? withoutDoubt(moveOrder(known, 'remind', nowMs) ?? known)
        : withoutDoubt(known),
    )
  }

  /** The platform was asked, and answered about the transaction. */
  recognize(asked: Order): Promise<Order | undefined> {
    return this.#afterQuestion(asked, { msg: 'the platform knows the transaction again' }, withoutDoubt)
  }

  /** The platform was asked, and the order is over. That is final, whatever the game server did meanwhile. */
  closeAsked(asked: Order, outcome: TerminalOutcome | null, cure?: string): Promise<Order | undefined> {
    const msg = 'order closed: the platform says that it is over'
    return this.#afterQuestion(asked, { msg, ...(cure !== undefined && { level: 'warn', cure }) }, (known, nowMs) => {
      if (known.phase === 'closed') return undefined
      return { ...(moveOrder(known, 'close', nowMs) ?? known), outcome: outcome ?? known.outcome }
    })
  }

  /**
   * The platform was asked and does not know the transaction. An order that it never knew goes; another one stays open,
   * and is closed after a day of nothing else.
   */
  doubt(asked: Order, cause: string): Promise<Order | undefined> {
    const nowMs = this.#dayClockMs()
    const step = (before: Order | undefined): Step => {
      if (before && isNeverKnown(before))
        return {
          msg: `order refused: ${cause}`,
          level: 'warn',
          cure: cures.checkWhoseOrder(),
        }
      const isDay = before?.unknownSinceMs != null
      const cure = cures.checkTransaction()
      return {
        msg: isDay ? `order closed after a day: ${cause}` : `order kept open for a day: ${cause}`,
        level: 'warn',
        cure,
      }
    }
    return this.#afterQuestion(asked, step, (known, wallMs) => {
      if (known.phase === 'closed') return undefined
      if (isNeverKnown(known)) return null
      if (known.unknownSinceMs === null) return { ...known, unknownSinceMs: nowMs }
      return nowMs - known.unknownSinceMs >= dayMs ? moveOrder(known, 'close', wallMs) : undefined
    })
  }

  /** One more push of this generation to the game server. Only the first is a step; later ones are for debugging. */
  countOffer(transactionId: number, generation: number): Promise<Order | undefined> {
    const step = (before: Order | undefined): Step =>
      before?.offers === 0
        ? { msg: 'order offered to the game server' }
        : { msg: 'order offered to the game server once more', level: 'debug' }
    const change: Change = (known) =>
      known?.generation === generation ? { ...known, offers: known.offers + 1 } : undefined
    return this.#change(transactionId, step, change, { survives: 'kill' })
  }

  /** Forgets what was closed before a moment (Unix ms); see the ledger for ends that nobody has confirmed. */
  async removeClosedBefore(beforeMs: number, unconfirmed: 'keep' | 'remove'): Promise<void> {
    for (const transactionId of await this.ledger.removeClosedBefore(beforeMs, unconfirmed)) {
      this.#options.onChange(transactionId, undefined)
      this.#options.log.info({ transactionId }, 'order removed: it was closed 30 days ago')
    }
  }

  /** Applies an answer of the platform, unless it is about an earlier order of this number. */
  #afterQuestion(
    asked: Order,
    step: Step | ((before: Order | undefined) => Step),
    change: (known: Order, nowMs: number) => Order | null | undefined,
  ): Promise<Order | undefined> {
    return this.#change(asked.transactionId, step, (known, nowMs) =>
      known?.generation === asked.generation && known.orderText === asked.orderText ? change(known, nowMs) : undefined,
    )
  }

  async #change(
    transactionId: number,
    step: Step | ((before: Order | undefined) => Step),
    change: Change,
    options?: ChangeOptions,
  ): Promise<Order | undefined> {
    const { clock, log, onChange } = this.#options
    const { before, after } = await this.ledger.change(transactionId, (known) => change(known, clock.wallMs()), options)
    if (after === before) return after
    onChange(transactionId, after)
    const { msg, level = 'info', cure } = typeof step === 'function' ? step(before) : step
    const { itemRef, phase, generation, offers, result, retryAtMs, outcome } = after ?? (before as Order)
    const retryAt = retryAtMs === null ? null : new Date(retryAtMs).toISOString()
    const observedQuantity = options?.observedQuantity ?? null
    const line = { transactionId, itemRef, phase, generation, offers, result, observedQuantity, retryAt, outcome }
    log[level]({ ...line, ...(cure !== undefined && { cure }) }, msg)
    return after
  }
}

/** The platform confirmed nothing of it yet, under any generation. */
function isNeverKnown({ phase, generation }: Order): boolean {
  return phase === 'received' && generation === 1
}

function withoutDoubt(order: Order): Order {
  return order.unknownSinceMs === null ? order : { ...order, unknownSinceMs: null }
}
