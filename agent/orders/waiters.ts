import type { Clock } from '../clock/clock.ts'
import type { Order } from './order.ts'
import { isOffered } from './order-moves.ts'

/** One webhook that waits until the game server takes its order. */
export interface Waiter extends Disposable {
  /** The order as soon as this generation is taken or over; undefined when the time is over. To be called once. */
  taken(generation: number): Promise<Order | undefined>
}

/** A wait for a generation that is not known before the order is recorded. */
interface Wait {
  readonly follow: (order: Order) => void
  readonly giveUp: () => void
}

/** The webhooks whose answer waits until the game server takes their order. */
export class Waiters {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #waiting = new Map<number, Set<Wait>>()

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
  }

  /** Takes note of an order's present state. A report of `TEMPORARY` alone does not say that the order is stored. */
  follow(order: Order): void {
    if (isOffered(order.phase) || order.phase === 'put-off' || order.phase === 'lost') return
    for (const wait of this.#waiting.get(order.transactionId) ?? []) wait.follow(order)
  }

  /** Waits from now on, so that nothing is missed that happens while the order is being recorded. */
  open(transactionId: number): Waiter {
    const { promise, resolve } = Promise.withResolvers<Order | undefined>()
    let wanted = Number.POSITIVE_INFINITY
    let latest: Order | undefined
    // What the game server said to an earlier generation is no reply to this one.
    const look = () => latest !== undefined && latest.generation >= wanted && resolve(latest)
    const wait: Wait = {
      follow(order) {
        latest = order
        look()
      },
      giveUp: () => resolve(undefined),
    }
    const waiting = this.#waiting.get(transactionId) ?? new Set()
    this.#waiting.set(transactionId, waiting.add(wait))
    const cancelTimer = this.#clock.after(this.#timeoutMs, wait.giveUp)
    return {
      taken(generation) {
        wanted = generation
        look()
        return promise
      },
      [Symbol.dispose]: () => {
        cancelTimer()
        waiting.delete(wait)
        if (waiting.size === 0 && this.#waiting.get(transactionId) === waiting) this.#waiting.delete(transactionId)
      },
    }
  }

  /** Ends every wait without an order. */
  stop(): void {
    for (const waiting of this.#waiting.values()) for (const wait of waiting) wait.giveUp()
  }
}
