import { StoreFullError } from '../../../../agent/database/store-errors.ts'
import type { Order } from '../../../../agent/orders/order.ts'
import type { OrderChange, OrderLedger, Survives } from '../../../../agent/orders/order-ledger.ts'

/** What a dead process gets. */
const never = new Promise<never>(() => undefined)

/**
 * A ledger whose process can die at any commit, and whose disk can be full. After its death it answers nothing any more,
 * as for a process that has gone.
 */
export class KillableLedger implements OrderLedger {
  /** Calls under way. */
  pending = 0
  isDead = false
  isFull = false
  /** Dies at this commit, counted from 1, with the commit or just before it. */
  death: { atCommit: number; isCommitted: boolean } | undefined
  readonly #inner: OrderLedger

  constructor(inner: OrderLedger) {
    this.#inner = inner
  }

  find = (transactionId: number) => this.#call(() => this.#inner.find(transactionId))
  findOpen = () => this.#call(() => this.#inner.findOpen())
  findClosedSince = (sinceMs: number) => this.#call(() => this.#inner.findClosedSince(sinceMs))
  findUnconfirmedEnds = () => this.#call(() => this.#inner.findUnconfirmedEnds())
  removeClosedBefore = (beforeMs: number, unconfirmed: 'keep' | 'remove') =>
    this.#call(() => this.#inner.removeClosedBefore(beforeMs, unconfirmed))
  close = async () => undefined

  change(transactionId: number, change: OrderChange, survives?: Survives): Promise<Order | undefined> {
    return this.#call(() =>
      this.#commit((beforeCommit) =>
        this.#inner.change(
          transactionId,
          (known, observationOf) => {
            const order = change(known, observationOf)
            if (order !== undefined && order !== known) beforeCommit()
            return order
          },
          survives,
        ),
      ),
    )
  }

  observe(itemRef: string, observedQuantity: number): Promise<void> {
    return this.#call(() =>
      this.#commit((beforeCommit) => {
        beforeCommit()
        return this.#inner.observe(itemRef, observedQuantity)
      }),
    )
  }

  async #commit<Result>(write: (beforeCommit: () => void) => Promise<Result>): Promise<Result> {
    let diesAfter = false
    const written = write(() => {
      if (this.isFull) throw new StoreFullError('ENOSPC', new Error('the disk is full'))
      if (!this.death || --this.death.atCommit > 0) return
      diesAfter = this.death.isCommitted
      if (!diesAfter) {
        this.isDead = true
        throw new Error('killed')
      }
    })
    if (diesAfter) this.isDead = true
    return written
  }

  async #call<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.isDead) return never
    this.pending++
    try {
      const result = await act()
      if (!this.isDead) return result
    } catch (error) {
      if (!this.isDead) throw error
    } finally {
      this.pending--
    }
    return never
  }
}
