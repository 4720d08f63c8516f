import { type AgentState, stockIn } from '../../agent/model-outside.ts'
import type { AgentWitness, AnsweredWebhook } from '../witnessed.ts'
import { fieldsIn } from './fields-in.ts'
import type { Break } from './judge.ts'

interface AnsweredStockParts {
  readonly break: Break
  readonly state: AgentState
}

interface Stock {
  readonly itemRef?: string
  readonly observedQuantity?: number
}

/** The answer to an order says the stock of its item. Otherwise the platform may sell it twice. */
export class AnsweredStockPromises implements Partial<AgentWitness> {
  readonly #parts: AnsweredStockParts
  /** The items of which the ledger has had a stock. */
  readonly #known = new Set<string>()

  constructor(parts: AnsweredStockParts) {
    this.#parts = parts
  }

  onAcknowledged(event: string, transactionId: number, { body, answer }: AnsweredWebhook): void {
    if (event !== 'transfer_order') return
    const { itemRef = '' } = fieldsIn<Stock>(body)
    const { observedQuantity } = fieldsIn<Stock>(Buffer.from(answer))
    const known = stockIn(this.#parts.state, itemRef, 'now')
    if (known === undefined) return
    const isFirst = !this.#known.has(itemRef)
    this.#known.add(itemRef)
    // The first stock of an item, and any other quantity, may be newer than the answer.
    if (observedQuantity === undefined && !isFirst)
      this.#parts.break('the answer to an order has a stock if one is known', `${transactionId}: ${known}`)
  }
}
