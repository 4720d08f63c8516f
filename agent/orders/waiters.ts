import type { Clock } from '../clock/clock.ts'
import type { Order } from './order.ts'

/** One webhook that waits until the game server takes its order. */
export interface Waiter extends Disposable {
  /** The order as soon as it is taken or over; undefined when the time is over. */
  readonly taken: Promise<Order | undefined>
}

/** The webhooks whose answer waits until the game server takes their order. */
export class Waiters {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #waiting = new Map<number, Set<(order: Order | undefined) => void>>()

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /** Takes note of an order's present state. A report of `TEMPORARY` alone does not say that the order is stored. */
  follow(order: Order): void {
    if (order.phase === 'offered' || order.phase === 'put-off' || order.phase === 'lost') return
    for (const resolve of this.#waiting.get(order.transactionId) ?? []) resolve(order)
  }

  /** Waits from now on, so that nothing is missed that happens while the order is being recorded. */
  open(transactionId: number): Waiter {
    const { promise: taken, resolve } = Promise.withResolvers<Order | undefined>()
    const waiting = this.#waiting.get(transactionId) ?? new Set()
    this.#waiting.set(transactionId, waiting.add(resolve))
    const cancelTimer = this.#clock.after(this.#timeoutMs, () => resolve(undefined))
    const dispose = (): void => {
      cancelTimer()
      waiting.delete(resolve)
      if (waiting.size === 0 && this.#waiting.get(transactionId) === waiting) this.#waiting.delete(transactionId)
    }
    return { taken, [Symbol.dispose]: dispose }
  }

  /** Ends every wait without an order. */
  stop(): void {
    for (const waiting of this.#waiting.values()) for (const resolve of waiting) resolve(undefined)
  }
}
