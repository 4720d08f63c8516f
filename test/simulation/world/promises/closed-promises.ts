import { type HostClock, wasSetSince } from '../../host-clock.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

/** A start believes the clock of its host, which may be hours wrong. */
const mostOfDayMs = 12 * 3_600_000
const mostOfMonthMs = 29 * 24 * 3_600_000

interface ClosedPromisesParts extends ProcessParts {
  readonly platform: ModelPlatform
  /** Of the host of the agent. */
  readonly clock: Pick<HostClock, 'lastSetMs'>
}

/** After each of these the game server has nothing to deliver any more, at least for a while. */
const nothingToDeliverAfter: ReadonlySet<string> = new Set([
  'deliver',
  'fail-out-of-stock',
  'refund',
  'expire',
  'cancel',
])

/** An order is closed only after the platform has accepted its result, has said that it is over, or has not known it for a day. One that it has confirmed is not dropped before, and one that is over is kept for a month. */
export class ClosedPromises implements Partial<AgentWitness> {
  readonly #parts: ClosedPromisesParts
  /** By transaction, when the log said that the platform does not know it. */
  readonly #doubtedMs = new Map<number, number>()

  /** Since when each order is over, by transaction. */
  readonly #overMs = new Map<number, number>()
  /** The orders that the platform has confirmed, and the start of the process that says so: a power cut may take that back. */
  readonly #confirmed = new Map<number, number>()

  constructor(parts: ClosedPromisesParts) {
    this.#parts = parts
  }

  onLogged({ transactionId, phase, msg, text }: LoggedLine): void {
    if (transactionId === undefined) return
    const { startedMs } = this.#parts
    const isOver = phase === 'closed' || phase === 'ended'
    if (!isOver && phase !== undefined) this.#overMs.delete(transactionId)
    if (isOver && !this.#overMs.has(transactionId)) this.#overMs.set(transactionId, this.#parts.nowMs())
    if (msg.startsWith('order removed')) this.#checkMonth(transactionId, text)
    if (phase === 'offered') this.#confirmed.set(transactionId, startedMs())
    if (msg.startsWith('order received under the number')) this.#confirmed.delete(transactionId)
    if (msg.startsWith('order refused: ') && this.#confirmed.get(transactionId) === startedMs())
      this.#parts.break('an order that the platform has confirmed is not dropped', text)
    if (msg.startsWith('order kept open for a day')) this.#doubtedMs.set(transactionId, this.#parts.nowMs())
    const isAfterDay = msg.startsWith('order closed after a day')
    if (isAfterDay) this.#checkDay(transactionId, text)
    if (isAfterDay || !isOver) return
    const { transactions } = this.#parts.platform.composed.platform.tables
    if (!transactions.historyOf(transactionId).some(({ trigger }) => nothingToDeliverAfter.has(trigger)))
      this.#parts.break('an order is closed only if the platform says that it is over', text)
  }

  /** The clock of its host may have been set. */
  #checkMonth(transactionId: number, text: string): void {
    const overMs = this.#overMs.get(transactionId) ?? Number.NEGATIVE_INFINITY
    if (!wasSetSince(this.#parts.clock, overMs) && this.#parts.nowMs() < overMs + mostOfMonthMs)
      this.#parts.break('an order that is over is kept for 30 days', text)
  }

  /** A clock that is set must not end the day. */
  #checkDay(transactionId: number, text: string): void {
    const doubtedMs = this.#doubtedMs.get(transactionId) ?? 0
    if (this.#parts.nowMs() < doubtedMs + mostOfDayMs)
      this.#parts.break('an order is kept for a day although the platform does not know it', text)
  }
}
