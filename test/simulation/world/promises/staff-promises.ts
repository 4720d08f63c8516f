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

const warn = 40
/** Of the lines after which an order is over. */
const endings: ReadonlySet<string> = new Set([
  'terminal event received',
  'order closed: the platform says that it is over',
])

/** The log asks the staff to settle an order if the game server and the platform disagree about it, and only then. */
export class StaffPromises implements Partial<AgentWitness> {
  readonly #parts: StaffPromisesParts
  /** The orders that the ledger has as delivered, and the platform has not accepted as that, each with the process that logged it. */
  readonly #delivered = new Map<number, number>()

  constructor(parts: StaffPromisesParts) {
    this.#parts = parts
  }

  onLogged({ msg, level, transactionId, cure, text }: LoggedLine): void {
    const { startedMs, isGiven } = this.#parts
    const isWarning = level >= warn
    if (cure !== undefined && !isWarning) this.#parts.break('a line with a cure is a warning', text)
    if (transactionId === undefined) return
    if (isWarning && cure === undefined && msg.startsWith('order '))
      this.#parts.break('a warning about an order says what a person can do', text)
    if (msg === 'order answered by the game server: DELIVERED') this.#delivered.set(transactionId, startedMs())
    if (msg === 'order closed: the platform accepted DELIVERED') this.#delivered.delete(transactionId)
    const isDelivered = this.#isDelivered(transactionId)
    if (cure === cures.takeBack() && (isDelivered || !isGiven(transactionId)))
      this.#parts.break('an item is to be taken back only if the buyer has it and the money', text)
    if (cure === cures.checkDelivered() && isDelivered === false)
      this.#parts.break('a delivery is to be checked only if the platform takes it for made', text)
    if (!endings.has(msg)) return
    // A process that was killed may not have logged what followed.
    const isOpen = this.#delivered.get(transactionId) === startedMs()
    this.#delivered.delete(transactionId)
    if (isOpen && isDelivered === false && !this.#wasDelivered(transactionId) && cure === undefined)
      this.#parts.break('the staff hear of an item that was given and refunded', text)
  }

  /** Whether the platform takes an order for delivered; undefined for one that it does not know. */
  #isDelivered(transactionId: number): boolean | undefined {
    const row = this.#parts.platform.composed.platform.tables.transactions.byId(transactionId)
    if (!row) return undefined
    const phase = phaseOfRow(row)
    return phase === 'delivered' || phase === 'completed'
  }

  /** Whether the platform ever took it for delivered. Then its word may be older than a dispute. */
  #wasDelivered(transactionId: number): boolean {
    const { transactions } = this.#parts.platform.composed.platform.tables
    return transactions.historyOf(transactionId).some(({ trigger }) => trigger === 'deliver')
  }
}
