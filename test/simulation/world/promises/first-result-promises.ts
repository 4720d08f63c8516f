import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

/** How the agent logs a reply with a result. */
const answered = 'order answered by the game server: '

interface FirstResult {
  readonly generation: number
  readonly result: string
  /** A line of a process that has died may be about something that is not on the disk. */
  readonly startedMs: number
}

/** The first result of an order counts until the order is offered again. A reply counts together with its stock. */
export class FirstResultPromises implements Partial<AgentWitness> {
  readonly #parts: ProcessParts
  /** By transaction. */
  readonly #results = new Map<number, FirstResult>()

  constructor(parts: ProcessParts) {
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
}
