import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import { outcomeOf } from './attempt-outcome.ts'
import type { Break } from './judge.ts'

/** How the agent logs that an order may be put off from now on, and that it is not. */
const noted = 'TEMPORARY is about to be reported'
const withdrawn = 'TEMPORARY was not accepted'

/** A report of `TEMPORARY` is withdrawn only if no attempt since it was noted may have arrived. Otherwise the next order is taken for a copy. */
export class WithdrawnPromises implements Partial<AgentWitness> {
  readonly #break: Break
  /** By transaction. */
  readonly #doubtful = new Map<number, Set<SentRequest>>()

  constructor(onBroken: Break) {
    this.#break = onBroken
  }

  /** @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { transactionId, input } = request
    const doubtful = this.#doubtful.get(transactionId ?? 0)
    if (input['reason'] !== 'TEMPORARY') return undefined
    doubtful?.add(request)
    return (result) => {
      if (outcomeOf(result) === 'refused') doubtful?.delete(request)
    }
  }

  onLogged({ msg, transactionId, text }: LoggedLine): void {
    if (transactionId === undefined) return
    if (msg === noted) this.#doubtful.set(transactionId, new Set())
    if (msg.startsWith(withdrawn) && (this.#doubtful.get(transactionId)?.size ?? 0) > 0)
      this.#break('TEMPORARY is withdrawn only if it cannot have arrived', text)
  }
}
