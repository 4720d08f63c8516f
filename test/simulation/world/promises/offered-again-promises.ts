import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AgentWitness, LoggedLine, SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface OfferedAgainParts {
  readonly break: Break
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  readonly nowMs: () => number
}

/** An order as the log of a process showed it last. */
interface ShownOrder {
  readonly phase: string
  readonly sinceMs: number
  readonly startedMs: number
}

/** An order that the game server has taken or put off is offered again only if the platform was asked after that. */
export class OfferedAgainPromises implements Partial<AgentWitness> {
  readonly #parts: OfferedAgainParts
  /** By transaction. */
  readonly #shown = new Map<number, ShownOrder>()
  /** When the platform was asked last about each transaction. */
  readonly #askedMs = new Map<number, number>()

  constructor(parts: OfferedAgainParts) {
    this.#parts = parts
  }

  onSent({ path }: SentRequest): undefined {
    const [, transactionId] = /^\/v1\/api\/transactions\/(\d+)$/.exec(path) ?? []
    if (transactionId !== undefined) this.#askedMs.set(Number(transactionId), this.#parts.nowMs())
  }

  onLogged({ transactionId, phase, msg }: LoggedLine): void {
    if (transactionId === undefined || phase === undefined) return
    const [nowMs, startedMs] = [this.#parts.nowMs(), this.#parts.startedMs()]
    const before = this.#shown.get(transactionId)
    const isOfProcess = before?.startedMs === startedMs
    // The first line of a process may be about what an earlier one has changed.
    if (!isOfProcess) this.#shown.set(transactionId, { phase, sinceMs: Number.NEGATIVE_INFINITY, startedMs })
    else if (before.phase !== phase) this.#shown.set(transactionId, { phase, sinceMs: nowMs, startedMs })
    const askedMs = this.#askedMs.get(transactionId) ?? Number.NEGATIVE_INFINITY
    if (msg === orderLines.openAgain && isOfProcess && askedMs < before.sinceMs)
      this.#parts.break(
        'an order is offered again only if the platform was asked after the game server took it or put it off',
        `${transactionId}: asked at ${askedMs}, ${before.phase} at ${before.sinceMs}`,
      )
  }
}
