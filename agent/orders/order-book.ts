import type { Clock } from '../clock/clock.ts'
import { StoreNotAskedError } from '../database/store-errors.ts'
import type { Log } from '../log/log.ts'
import type { Order } from './order.ts'
import type { Changing, OrderChange } from './order-changes.ts'
import type { LedgerChange, OrderLedger, OthersListener } from './order-ledger.ts'

/**
 * Called after each change, once it counts; with undefined where the transaction was removed. `isOurs`: this agent hands
 * it over.
 */
export type OrderListener = OthersListener

/** Changes the ledger and reports each change: in the log, with its `transactionId`, and to each listener. */
export class OrderBook {
  readonly ledger: OrderLedger
  readonly #clock: Clock
  readonly #log: Pick<Log, 'debug' | 'info' | 'warn'>
  readonly #listeners: OrderListener[] = []
  #isClosed = false

  constructor(ledger: OrderLedger, clock: Clock, log: Pick<Log, 'debug' | 'info' | 'warn'>) {
    this.ledger = ledger
    this.#clock = clock
    this.#log = log
    ledger.onOthers((...changed) => this.#isClosed || this.#tell(...changed))
  }

  onChange(listener: OrderListener): void {
    this.#listeners.push(listener)
  }

  /**
   * One change, which is durable when this resolves.
   *
   * @returns What the ledger knows afterwards; undefined where the change was not about that.
   * @throws {StoreFullError} There is no space, and nothing was changed.
   * @throws {StoreNotAskedError} The book is closed, and nothing was changed.
   */
  async change(
    transactionId: number,
    change: OrderChange,
    options: Pick<LedgerChange, 'observedQuantity' | 'observedMark' | 'survives'> = {},
  ): Promise<Order | undefined> {
    if (this.#isClosed) throw new StoreNotAskedError('the agent is stopping')
    let known: Order | undefined
    let changing: Changing | undefined
    const { order, isOurs } = await this.ledger.change(transactionId, (before) => {
      known = before
      changing = change(before, this.#clock.wallMs())
      return changing ? { ...options, order: changing.order } : { order: undefined }
    })
    if (!changing) return undefined
    const { msg, cure, level = cure === undefined ? 'info' : 'warn' } = changing
    if (order === known) return known
    this.#tell(transactionId, order, isOurs)
    const { itemRef, phase, generation, offers, result, retryAtMs, outcome } = order ?? (known as unknown as Order)
    const retryAt = retryAtMs === null ? null : new Date(retryAtMs).toISOString()
    const { observedQuantity = null } = options
    const line = { transactionId, itemRef, phase, generation, offers, result, observedQuantity, retryAt, outcome }
    this.#log[level]({ ...line, ...(cure !== undefined && { cure }) }, msg)
    return order
  }

  /** Forgets what was closed before a moment (Unix ms). */
  async removeClosedBefore(beforeMs: number): Promise<void> {
    if (this.#isClosed) return
    for (const transactionId of await this.ledger.removeClosedBefore(beforeMs)) {
      this.#tell(transactionId, undefined, true)
      this.#log.info({ transactionId }, 'order removed: it was closed 30 days ago')
    }
  }

  close(): void {
    this.#isClosed = true
  }

  #tell(...changed: Parameters<OrderListener>): void {
    for (const listener of this.#listeners) listener(...changed)
  }
}
