import type { Order } from '../../../../agent/orders/order.ts'
import { isOver } from '../../../../agent/orders/order-moves.ts'
import type { AgentWitness, OrderList } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface OrderListParts {
  readonly break: Break
  /** All that its ledger has now. */
  readonly findOrders: () => readonly Order[]
  /** By the clock of its host. */
  readonly wallMs: () => number
  /** The agent still counts by the clock from before it was set. */
  readonly wasClockSet: () => boolean
}

const dayMs = 24 * 3_600_000
/** A change that is newer may be missing. */
const settledMs = 2_000

/**
 * The list of orders for operators has each open order as the ledger has it, and all that ended within a day. A game server
 * continues after the last end that it has seen, so each has a moment of its own.
 */
export class OrderListPromises implements Partial<AgentWitness> {
  readonly #parts: OrderListParts

  constructor(parts: OrderListParts) {
    this.#parts = parts
  }

  onOrdersGiven({ orders, closed, more }: OrderList): void {
    const { wallMs, wasClockSet } = this.#parts
    const nowMs = wallMs()
    const areAllShown = !more && !wasClockSet()
    const all = this.#parts.findOrders()
    const ends = all.filter(({ phase }) => isOver(phase)).map(({ sinceMs }) => sinceMs)
    const sameMs = ends.find((endMs, n) => ends.indexOf(endMs) !== n)
    // After a clock was days ahead, an end keeps its own time.
    if (sameMs !== undefined && Math.max(...ends) < sameMs + dayMs)
      this.#parts.break('no two orders end in the same moment', String(sameMs))
    const known = all.filter(({ sinceMs }) => sinceMs < nowMs - settledMs)
    const listed = new Map([...orders, ...closed].map((order) => [order.transactionId, order]))
    for (const { transactionId, phase, result, sinceMs, receivedAtMs, retryAtMs } of known) {
      const state = phase === 'ended' ? 'closed' : phase
      const shown = listed.get(transactionId)
      const isDue = !isOver(phase) || (areAllShown && sinceMs > nowMs - dayMs + settledMs)
      const isShown =
        shown?.state === state &&
        shown.result === result &&
        Date.parse(shown.receivedAt) === receivedAtMs &&
        Date.parse(shown.since) === sinceMs &&
        (shown.retryAt === null ? null : Date.parse(shown.retryAt)) === retryAtMs
      if (isDue && !isShown)
        this.#parts.break(
          'the list of orders shows what the ledger has',
          `${transactionId}: ${JSON.stringify(shown)} in place of ${phase}, ${result}`,
        )
    }
  }
}
