import type { ModelPlatform } from '../model-platform.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface ClosedPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
}

/** With each of these the game server has nothing to deliver any more, at least for a while. */
const ends: ReadonlySet<string> = new Set(['deliver', 'fail-out-of-stock', 'refund', 'expire', 'cancel'])

/** An order is closed only after the platform has accepted its result, or has said that it is over. Or it was in doubt for a day. */
export class ClosedPromises implements Partial<AgentWitness> {
  readonly #parts: ClosedPromisesParts

  constructor(parts: ClosedPromisesParts) {
    this.#parts = parts
  }

  onLogged({ transactionId, phase, msg, text }: LoggedLine): void {
    const isClosed = phase === 'closed' || phase === 'ended'
    if (transactionId === undefined || !isClosed || msg.startsWith('order closed after a day')) return
    const { transactions } = this.#parts.platform.composed.platform.tables
    if (!transactions.historyOf(transactionId).some(({ trigger }) => ends.has(trigger)))
      this.#parts.break('an order is closed only if the platform says that it is over', text)
  }
}
