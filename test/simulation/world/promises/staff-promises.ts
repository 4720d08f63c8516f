import { cures } from '../../../../agent/language/cures.ts'
import { phaseOfRow } from '../../../../platform-stub/marketplace/transactions/moves.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface StaffPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
  /** Whether the game server has handed an order out, durably. */
  readonly isGiven: (transactionId: number) => boolean
  /** When the process that runs now was started. */
  readonly startedMs: () => number
}

/** As pino numbers its levels. */
const warnLevel = 40

/** The log asks the staff to settle an order if the game server and the platform disagree about it, and only then. */
export class StaffPromises implements Partial<AgentWitness> {
  readonly #parts: StaffPromisesParts
  /** The orders that are to be reported as delivered, each with the start of the process that logged it. */
  readonly #delivered = new Map<number, number>()

  constructor(parts: StaffPromisesParts) {
    this.#parts = parts
  }

  onLogged(line: LoggedLine): void {
    const { level, transactionId, cure, phase, text } = line
    if (cure !== undefined && level < warnLevel) this.#parts.break('a line with a cure is a warning', text)
    if (transactionId === undefined) return
    this.#checkCure(transactionId, line)
    if (phase !== undefined) this.#checkStep(transactionId, line)
  }

  #checkCure(transactionId: number, { cure, text }: LoggedLine): void {
    const { platform, isGiven } = this.#parts
    const { transactions } = platform.composed.platform.tables
    const row = transactions.byId(transactionId)
    const phase = row && phaseOfRow(row)
    const isDelivered = phase === 'delivered' || phase === 'completed'
    if (cure === cures.takeBack() && (isDelivered || !isGiven(transactionId)))
      this.#parts.break('an item is to be taken back only if the buyer has it and the money', text)
    if (cure === cures.checkDelivered() && row && !this.#wasDelivered(transactionId))
      this.#parts.break('a delivery is to be checked only if the platform counts it as made', text)
  }

  /** The ledger has an order in another state. */
  #checkStep(transactionId: number, { level, cure, phase, result, text }: LoggedLine): void {
    if (level >= warnLevel && cure === undefined)
      this.#parts.break('a warning about an order says what a person can do', text)
    // A process that was killed may not have logged what followed.
    const isToBeReported = this.#delivered.get(transactionId) === this.#parts.startedMs()
    this.#delivered.delete(transactionId)
    if (phase === 'reporting' && result === 'DELIVERED') this.#delivered.set(transactionId, this.#parts.startedMs())
    const isOver = phase === 'ended' || phase === 'closed'
    if (isOver && isToBeReported && cure === undefined && !this.#wasDelivered(transactionId))
      this.#parts.break('the staff are told about an item that was given and refunded', text)
  }

  /** Whether the platform ever took it for delivered. Its word may be older than a dispute. */
  #wasDelivered(transactionId: number): boolean {
    const { transactions } = this.#parts.platform.composed.platform.tables
    return transactions.historyOf(transactionId).some(({ trigger }) => trigger === 'deliver')
  }
}
