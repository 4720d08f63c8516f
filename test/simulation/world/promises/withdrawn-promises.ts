import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import { outcomeOf } from './attempt-outcome.ts'
import type { Break } from './judge.ts'

/** How the agent logs that nothing is put off. */
const withdrawn = 'TEMPORARY was not accepted'

/** The attempts to put an order off, since it was offered last. */
interface PuttingOff {
  readonly generation: number
  readonly doubtful: Set<SentRequest>
}

/** A report of `TEMPORARY` is withdrawn only if no attempt of it may have arrived. Otherwise the next order is taken for a copy. */
export class WithdrawnPromises implements Partial<AgentWitness> {
  readonly #break: Break
  /** By transaction. */
  readonly #puttingOff = new Map<number, PuttingOff>()

  constructor(onBroken: Break) {
    this.#break = onBroken
  }

  /** @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { transactionId, input } = request
    if (transactionId === undefined || input['reason'] !== 'TEMPORARY') return undefined
    const { doubtful } = this.#of(transactionId)
    doubtful.add(request)
    return (result) => {
      if (outcomeOf(result) === 'refused') doubtful.delete(request)
    }
  }

  onLogged({ msg, transactionId, generation, text }: LoggedLine): void {
    if (transactionId === undefined || generation === undefined) return
    const known = this.#of(transactionId)
    // The platform sends it again after a while. It is offered in the same generation if nobody has taken it before.
    const isOfferedAgain = generation > known.generation || msg === orderLines.received
    if (isOfferedAgain) this.#puttingOff.set(transactionId, { generation, doubtful: new Set() })
    else if (msg.startsWith(withdrawn) && known.doubtful.size > 0)
      this.#break('TEMPORARY is withdrawn only if it cannot have arrived', text)
  }

  #of(transactionId: number): PuttingOff {
    const known = this.#puttingOff.get(transactionId) ?? { generation: 1, doubtful: new Set() }
    this.#puttingOff.set(transactionId, known)
    return known
  }
}
