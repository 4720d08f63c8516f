import type { KnownObservation } from '../../../../agent/orders/order-ledger.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

/** Of a stock that is older than this process. */
const oldestMark = 0

/** The stocks that one process has heard or read. */
interface Said {
  readonly startedMs: number
  /** Calls with a stock that have no answer. */
  readonly underWay: Set<GivenCall>
  /** Marks of stocks that the ledger had. */
  readonly marks: Set<number>
}

/**
 * An agent takes a stock for a new one only while a caller says it. A stock that the agent reports by itself has the mark that its
 * ledger knows. With a newer mark it would win over a stock that has waited for its turn meanwhile. Whether one waits is
 * chance, so each mark is looked at. The game server calls over HTTP, so that each call is seen when it arrives.
 */
export class MarkPromises implements Partial<AgentWitness> {
  readonly #parts: ProcessParts
  #known: Said | undefined

  constructor(parts: ProcessParts) {
    this.#parts = parts
  }

  get #said(): Said {
    const startedMs = this.#parts.startedMs()
    if (this.#known?.startedMs !== startedMs) this.#known = { startedMs, underWay: new Set(), marks: new Set() }
    return this.#known
  }

  onTaken(call: GivenCall): void {
    if (typeof call.input?.['observedQuantity'] === 'number') this.#said.underWay.add(call)
  }

  onGiven(call: GivenCall): void {
    this.#said.underWay.delete(call)
  }

  onObservationRead({ mark }: KnownObservation): void {
    this.#said.marks.add(mark)
  }

  onObserved(itemRef: string, { quantity, mark }: KnownObservation): void {
    const { marks, underWay } = this.#said
    const isSaidNow = [...underWay].some(({ input }) => input?.['observedQuantity'] === quantity)
    if (mark > oldestMark && !marks.has(mark) && !isSaidNow)
      this.#parts.break('an agent takes a stock for a new one only while a caller says it', `${itemRef}: ${quantity}`)
  }
}
