import type { Order } from '../../../../agent/orders/order.ts'
import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AgentWitness, GivenCall, LoggedLine } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

/** How the agent logs a reply with a result. */
const answered = 'order answered by the game server: '

interface FirstResult {
  readonly generation: number
  readonly result: string
  /** A line of a process that has died may be about something that is not on the disk. */
  readonly startedMs: number
}

interface FirstResultParts extends ProcessParts {
  /** As its ledger has it now. */
  readonly findOrder: (transactionId: number) => Order | undefined
}

/** The first result of an order counts until the order is offered again, and no other one is told to be taken. A reply counts together with its stock. */
export class FirstResultPromises implements Partial<AgentWitness> {
  readonly #parts: FirstResultParts
  /** By transaction. */
  readonly #results = new Map<number, FirstResult>()

  /** The offer to which each call replies with a result. */
  readonly #generations = new WeakMap<GivenCall, number>()

  constructor(parts: FirstResultParts) {
    this.#parts = parts
  }

  onLogged({ msg, transactionId, generation, result, observedQuantity, text }: LoggedLine): void {
    if (transactionId === undefined || generation === undefined) return
    const startedMs = this.#parts.startedMs()
    const isReply = msg === orderLines.taken || msg.startsWith(answered)
    if (isReply && typeof observedQuantity !== 'number') this.#parts.break('a reply is noted with its stock', text)
    const first = this.#results.get(transactionId)
    const isSame = first?.generation === generation && first.startedMs === startedMs
    if (typeof result === 'string' && isSame && result !== first.result)
      this.#parts.break('the first result of an order counts', `${first.result}, then ${text}`)
    if (typeof result === 'string') this.#results.set(transactionId, { generation, result, startedMs })
    else this.#results.delete(transactionId)
  }

  onTaken(call: GivenCall): void {
    const order = call.input?.['result'] === undefined ? undefined : this.#orderOf(call)
    if (order) this.#generations.set(call, order.generation)
  }

  /** A caller that is told ok goes by its own result. */
  onGiven(call: GivenCall, text: string): void {
    const order = this.#orderOf(call)
    if (!order || order.generation !== this.#generations.get(call) || !text.startsWith('{"ok":true')) return
    const { result } = call.input ?? {}
    if (order.result !== result)
      this.#parts.break('a result that is taken is the one that the ledger has', `${result}, not ${order.result}`)
  }

  #orderOf({ operation, input }: GivenCall): Order | undefined {
    return operation === 'orders.take' ? this.#parts.findOrder(Number(input?.['transactionId'])) : undefined
  }
}
