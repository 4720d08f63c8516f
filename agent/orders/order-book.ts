import type { Clock } from '../clock/clock.ts'
import type { Log } from '../log/log.ts'
import type { Order } from './order.ts'
import type { Changing, OrderChange } from './order-changes.ts'
import type { LedgerChange, OrderLedger, OthersListener } from './order-ledger.ts'
import { isOver } from './order-moves.ts'

/**
 * Called after each change, once it counts; with undefined where the transaction was removed. `isOurs`: this agent hands
 * it over.
 */
export type OrderListener = OthersListener

/** A clock that was set back by more than this is believed. */
const setBackMsMax = 24 * 3_600_000

/** Changes the ledger and reports each change: in the log, with its `transactionId`, and to each listener. */
export class OrderBook {
  readonly ledger: OrderLedger
  readonly #clock: Clock
  readonly #log: Pick<Log, 'debug' | 'info' | 'warn'>
  readonly #listeners: OrderListener[] = []
  /** When the newest end was, Unix ms. */
  #newestEndMs = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(ledger: OrderLedger, clock: Clock, log: Pick<Log, 'debug' | 'info' | 'warn'>) {
    this.ledger = ledger
    this.#clock = clock
    this.#log = log
  }

  /** Reads where the last agent stopped. */
  async open(): Promise<void> {
    this.#newestEndMs = (await this.ledger.newestEndMs()) ?? this.#newestEndMs
    this.ledger.onOthers((transactionId, order, isOurs) => {
      if (this.#isClosed) return
      if (order && isOver(order.phase)) this.#newestEndMs = Math.max(this.#newestEndMs, order.sinceMs)
      for (const listener of this.#listeners) listener(transactionId, order, isOurs)
    })
  }

  onChange(listener: OrderListener): void {
    this.#listeners.push(listener)
  }

  /**
   * One change, which is durable when this resolves. Once the book is closed, nothing changes.
   *
   * @returns What the ledger knows afterwards; undefined where the change was not about that.
   * @throws {StoreFullError} There is no space, and nothing was changed.
   */
  async change(
    transactionId: number,
    change: OrderChange,
    options: Pick<LedgerChange, 'observedQuantity' | 'survives'> = {},
  ): Promise<Order | undefined> {
    if (this.#isClosed) return undefined
    let known: Order | undefined
    let changing: Changing | undefined
    const isOurs = await this.ledger.change(transactionId, (before) => {
      known = before
      changing = change(before, this.#clock.wallMs())
      if (changing?.order) changing = { ...changing, order: this.#afterEarlierEnds(before, changing.order) }
      return changing ? { ...options, order: changing.order } : { order: undefined }
    })
    if (!changing) return undefined
    const { order, msg, cure, level = cure === undefined ? 'info' : 'warn' } = changing
    if (order === known) return known
    for (const listener of this.#listeners) listener(transactionId, order ?? undefined, isOurs)
    const { itemRef, phase, generation, offers, result, retryAtMs, outcome } = order ?? (known as unknown as Order)
    const retryAt = retryAtMs === null ? null : new Date(retryAtMs).toISOString()
    const { observedQuantity = null } = options
    const line = { transactionId, itemRef, phase, generation, offers, result, observedQuantity, retryAt, outcome }
    this.#log[level]({ ...line, ...(cure !== undefined && { cure }) }, msg)
    return order ?? undefined
  }

  /** Forgets what was closed before a moment (Unix ms). */
  async removeClosedBefore(beforeMs: number): Promise<void> {
    if (this.#isClosed) return
    for (const transactionId of await this.ledger.removeClosedBefore(beforeMs)) {
      for (const listener of this.#listeners) listener(transactionId, undefined, true)
      this.#log.info({ transactionId }, 'order removed: it was closed 30 days ago')
    }
  }

  /**
   * Each end is later than the one before, although clocks are set back: a game server reads on from the last end that
   * it has seen.
   */
  #afterEarlierEnds(known: Order | undefined, order: Order): Order {
    if (!isOver(order.phase) || order.sinceMs === known?.sinceMs) return order
    const isLater = order.sinceMs > this.#newestEndMs || order.sinceMs < this.#newestEndMs - setBackMsMax
    this.#newestEndMs = isLater ? order.sinceMs : this.#newestEndMs + 1
    return isLater ? order : { ...order, sinceMs: this.#newestEndMs }
  }

  close(): void {
    this.#isClosed = true
  }
}
