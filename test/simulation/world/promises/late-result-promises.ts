import { cures } from '../../../../agent/language/cures.ts'
import type { Order } from '../../../../agent/orders/order.ts'
import { isOver } from '../../../../agent/orders/order-moves.ts'
import type { AgentWitness, GivenCall, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface LateResultParts {
  readonly break: Break
  /** As its ledger has it now. */
  readonly findOrder: (transactionId: number) => Order | undefined
  readonly nowMs: () => number
}

/** If a game server gave an item and says so after the refund, the agent refuses that, and tells the staff to take the item back. */
export class LateResultPromises implements Partial<AgentWitness> {
  readonly #parts: LateResultParts
  /** The calls that were late when they came, and when that was. */
  readonly #lateMs = new WeakMap<GivenCall, number>()
  /** When the staff were told last, by transaction. */
  readonly #toldMs = new Map<number, number>()

  constructor(parts: LateResultParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    const { operation, input } = call
    if (operation !== 'orders.take' || input?.['result'] !== 'DELIVERED') return
    const order = this.#parts.findOrder(Number(input['transactionId']))
    if (order && isRefunded(order)) this.#lateMs.set(call, this.#parts.nowMs())
  }

  onLogged({ transactionId, cure }: LoggedLine): void {
    if (transactionId !== undefined && cure === cures.takeBack()) this.#toldMs.set(transactionId, this.#parts.nowMs())
  }

  onGiven(call: GivenCall, text: string): void {
    const lateMs = this.#lateMs.get(call)
    if (lateMs === undefined) return
    const transactionId = Number(call.input?.['transactionId'])
    const isTold = (this.#toldMs.get(transactionId) ?? Number.NEGATIVE_INFINITY) >= lateMs
    if (text.startsWith('{"ok":true') || (text.includes('"ORDER_CLOSED"') && !isTold))
      this.#parts.break('a delivery after the refund is refused, and the staff are told', `${transactionId}: ${text}`)
  }
}

/** Whether the buyer has the money back, and the ledger does not know that the item was given. */
export function isRefunded({ phase, result, reported, outcome }: Order): boolean {
  const isGiven = result === 'DELIVERED' || reported === 'DELIVERED'
  return isOver(phase) && !isGiven && (outcome === 'ESTORNADA' || reported === 'OUT_OF_STOCK')
}
