import { type AgentState, stockIn } from '../../agent/model-outside.ts'
import type { AgentWitness, ReceivedWebhook } from '../witnessed.ts'
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

  constructor(parts: AnsweredStockParts) {
    this.#parts = parts
  }

  onAcknowledged(event: string, transactionId: number, { body, answer }: ReceivedWebhook): void {
    if (event !== 'transfer_order') return
    const { itemRef = '' } = fieldsIn<Stock>(body)
    const { observedQuantity } = fieldsIn<Stock>(Buffer.from(answer))
    const known = stockIn(this.#parts.state, itemRef, 'now')
    // Another quantity may be newer than the answer.
    if (observedQuantity === undefined && known !== undefined)
      this.#parts.break('the answer to an order has a stock if one is known', `${transactionId}: ${known}`)
  }
}
