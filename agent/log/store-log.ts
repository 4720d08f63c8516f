import type { StoreUnreachableError } from '../database/store-errors.ts'
import { cures } from '../language/cures.ts'
import type { Log } from './log.ts'

const refused = 'calls with an id, of an item or of a transaction are refused'

/** Logs what happens to a store that agents share. */
export class StoreLog {
  readonly #log: Log
  /** Why it is away, each cause once. */
  readonly #causes = new Set<string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** @param problem Undefined when the store is there. */
  onContact(problem: StoreUnreachableError | undefined): void {
    if (!problem) {
      if (this.#causes.size > 0) this.#log.info('the store is there again')
      this.#causes.clear()
      return
    }
    const { message: cause } = problem
    if (this.#causes.has(cause)) return
    this.#causes.add(cause)
    this.#log.warn({ cause, cure: cures.lookAtStore() }, 'the store cannot be reached')
  }

  /** This agent took over what another one had. */
  onTakeOver(agent: string): void {
    const cure = cures.lookAtAgent()
    this.#log.warn({ agent, cure }, 'another agent is dead: its calls and orders are taken over')
  }

  /** Orders of a world wait, because no agent serves it. */
  onLonely(world: string, openOrders: number): void {
    this.#log.warn({ world, openOrders, cure: cures.startWorld() }, 'no agent serves a world that has open orders')
  }

  /** Why calls are refused now. @param mayBegin Whether the lease was renewed in time. */
  reasonsBy(problem: StoreUnreachableError | undefined, mayBegin: boolean): readonly string[] {
    if (problem) return [`${refused}, because the store cannot be reached: ${cures.lookAtStore()}`]
    return mayBegin
      ? []
      : [`${refused}, because the lease of this agent was not renewed in time: ${cures.lookAtStore()}`]
  }
}
