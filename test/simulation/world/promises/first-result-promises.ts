import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** How the agent logs a reply with a result. */
const answered = 'order answered by the game server: '

/** The first result of an order counts until the order is offered again. A reply counts together with its stock. */
export class FirstResultPromises implements Partial<AgentWitness> {
  readonly #break: Break
  /** By transaction. */
  readonly #results = new Map<number, { readonly generation: number; readonly result: string }>()

  constructor(onBroken: Break) {
    this.#break = onBroken
  }

  onLogged({ msg, transactionId, generation, result, observedQuantity, text }: LoggedLine): void {
    if (transactionId === undefined || generation === undefined) return
    const isReply = msg === orderLines.taken || msg.startsWith(answered)
    if (isReply && typeof observedQuantity !== 'number') this.#break('a reply is noted with its stock', text)
    const first = this.#results.get(transactionId)
    if (typeof result === 'string' && first?.generation === generation && result !== first.result)
      this.#break('the first result of an order counts', `${first.result}, then ${text}`)
    if (typeof result === 'string') this.#results.set(transactionId, { generation, result })
    else this.#results.delete(transactionId)
  }
}
