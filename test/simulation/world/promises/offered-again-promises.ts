import type { Order } from '../../../../agent/orders/order.ts'
import { orderLines } from '../../../../agent/orders/order-changes.ts'
import { awaitsReply } from '../../../../agent/orders/order-moves.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface OfferedAgainParts {
  readonly break: Break
  /** The order of a transaction, as the ledger has it now. */
  readonly findOrder: (transactionId: number) => Order | undefined
  /** When the process that runs now was started. */
  readonly startedMs: () => number
}

/** An order in the ledger, as a process saw it. */
interface SeenOrder extends Pick<Order, 'phase' | 'sinceMs'> {
  readonly startedMs: number
}

/** An order that the game server has taken or put off is offered again only if the platform was asked after that. */
export class OfferedAgainPromises implements Partial<AgentWitness> {
  readonly #parts: OfferedAgainParts
  /** As it was when the platform was asked last, by transaction. */
  readonly #asked = new Map<number, SeenOrder>()
  /** As it was at the last line of the log, by transaction. */
  readonly #logged = new Map<number, SeenOrder>()

  constructor(parts: OfferedAgainParts) {
    this.#parts = parts
  }

  onSent({ operation, transactionId }: SentRequest): undefined {
    if (operation === 'transaction.get' && transactionId !== undefined) this.#see(this.#asked, transactionId)
  }

  onLogged({ transactionId, phase, msg }: LoggedLine): void {
    if (transactionId === undefined || phase === undefined) return
    const before = this.#logged.get(transactionId)
    const asked = this.#asked.get(transactionId)
    this.#see(this.#logged, transactionId)
    if (msg !== orderLines.openAgain || before?.startedMs !== this.#parts.startedMs()) return
    const isOfQuestion = asked?.phase === before.phase && asked.sinceMs === before.sinceMs
    if (!awaitsReply(before.phase) && !isOfQuestion)
      this.#parts.break(
        'an order is offered again only if the platform was asked after the game server took it or put it off',
        `${transactionId}: asked while ${asked?.phase}, then ${before.phase}`,
      )
  }

  #see(seen: Map<number, SeenOrder>, transactionId: number): void {
    const { findOrder, startedMs } = this.#parts
    const order = findOrder(transactionId)
    if (order) seen.set(transactionId, { phase: order.phase, sinceMs: order.sinceMs, startedMs: startedMs() })
  }
}
