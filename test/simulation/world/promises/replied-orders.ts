import { awaitsReply } from '../../../../agent/orders/order-moves.ts'
import type { LoggedLine } from '../witnessed.ts'

/** Which orders have had a reply, as the log shows them. One that is offered again waits for another reply. */
export class RepliedOrders {
  /** When an order was last known to have one. */
  readonly #repliedMs = new Map<number, number>()
  readonly #logged = new Map<number, { readonly isAwaiting: boolean; readonly generation: number }>()

  onLogged({ transactionId, phase, generation = 1 }: LoggedLine, nowMs: number): void {
    if (transactionId === undefined || phase === undefined) return
    const before = this.#logged.get(transactionId) ?? { isAwaiting: true, generation: 1 }
    const isAwaiting = awaitsReply(phase)
    // A process that is killed may not log a reply.
    const isOfferedAgain = generation > before.generation
    if (!before.isAwaiting || !isAwaiting || isOfferedAgain) this.#repliedMs.set(transactionId, nowMs)
    this.#logged.set(transactionId, { isAwaiting, generation })
  }

  wasRepliedSince(transactionId: number, sinceMs: number): boolean {
    return (this.#repliedMs.get(transactionId) ?? Number.NEGATIVE_INFINITY) >= sinceMs
  }
}
