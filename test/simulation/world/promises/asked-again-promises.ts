import type { Order } from '../../../../agent/orders/order.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'
import { Since } from './since.ts'

interface AskedAgainParts extends ProcessParts {
  readonly findOpenOrders: () => readonly Order[]
  /** Whether it has begun to work, and no stop has begun. */
  readonly isWorking: () => boolean
}

/** The agent asks after three minutes, and a question may take another one. */
const unaskedMsMax = 6 * 60_000

/** The platform is asked again and again about an order that the game server has, whatever it has said last. */
export class AskedAgainPromises implements Partial<AgentWitness> {
  readonly #parts: AskedAgainParts
  readonly #unasked: Since
  /** When the platform was asked last about each transaction. */
  readonly #askedMs = new Map<number, number>()

  constructor(parts: AskedAgainParts) {
    this.#parts = parts
    this.#unasked = new Since(parts.nowMs)
  }

  onSent({ operation, transactionId }: SentRequest): undefined {
    if (operation === 'transaction.get' && transactionId !== undefined)
      this.#askedMs.set(transactionId, this.#parts.nowMs())
  }

  /** Everything slept. */
  onSlept(): void {
    this.#unasked.reset()
  }

  /** At each look. */
  check(): void {
    const { startedMs, findOpenOrders, isWorking } = this.#parts
    const taken = isWorking() ? findOpenOrders().filter(({ phase }) => phase === 'taken') : []
    const nameOf = ({ transactionId: id, generation }: Order) =>
      `${id}, offer ${generation}: asked at ${this.#askedMs.get(id)} ms, started at ${startedMs()} ms`
    const unasked = this.#unasked.look(taken.map(nameOf), unaskedMsMax)
    if (unasked !== undefined)
      this.#parts.break('the platform is asked again about an order that the game server has', unasked)
  }
}
