import type { OrderReply } from '../../contract/order-reply.ts'

/** An event of the platform, as the agent hands it on: plain JSON. */
export interface HandedEvent {
  readonly event: string
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number
  readonly outcome?: string
  readonly reported?: string | null
}

/** The game of a sample game server. A real one stores all of this on disk. */
export class Game {
  /** Units that the seller offers, by item. */
  readonly stock = new Map<string, number>()
  /** The transactions for which it has given an item, one for each time. */
  readonly given: number[] = []
  readonly #known = new Map<number, Pick<OrderReply, 'result' | 'detail'>>()

  /** The one handler that sells: gives the item of an order that is not known yet and says what happened. */
  handle({ transactionId, itemRef, quantity }: HandedEvent): OrderReply {
    // A real game server does this in one durable transaction: stock, mailbox, and the order with its result.
    let order = this.#known.get(transactionId)
    if (!order) {
      const left = this.stock.get(itemRef) ?? 0
      const isThere = left >= quantity
      if (isThere) {
        this.stock.set(itemRef, left - quantity)
        this.given.push(transactionId)
      }
      order = isThere ? { result: 'DELIVERED', detail: null } : { result: 'OUT_OF_STOCK', detail: 'o item se perdeu' }
      this.#known.set(transactionId, order)
    }
    return { observedQuantity: this.stock.get(itemRef) ?? 0, ...order }
  }
}
