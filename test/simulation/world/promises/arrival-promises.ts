import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'

/** A call with a stock that is not answered. */
interface WaitingStock {
  readonly call: GivenCall
  readonly startedMs: number
  hasLeft: boolean
}

/** The agent sends a stock again by itself for at most this long. */
const sentAgainMsMax = 180_000

/**
 * Calls with stocks of one item that come over HTTP leave in the order in which they arrived. A quantity that the
 * agent may send again for an older call is not compared.
 */
export class ArrivalPromises implements Partial<AgentWitness> {
  readonly #parts: ProcessParts
  /** By item, in the order of their arrival. */
  readonly #arrived = new Map<string, readonly WaitingStock[]>()
  /** When each quantity of an item left last. */
  readonly #sentMs = new Map<string, number>()

  constructor(parts: ProcessParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    if (call.operation !== 'market.adjust-stock') return
    const startedMs = this.#parts.startedMs()
    const { itemRef } = call.input ?? {}
    this.#arrived.set(String(itemRef), [...this.#waiting(itemRef), { call, startedMs, hasLeft: false }])
  }

  onGiven(call: GivenCall): void {
    if (call.operation !== 'market.adjust-stock') return
    const { itemRef } = call.input ?? {}
    const others = this.#waiting(itemRef).filter((arrived) => arrived.call !== call)
    this.#arrived.set(String(itemRef), others)
  }

  onSent({ operation, input: { itemRef, observedQuantity } }: SentRequest): undefined {
    if (operation !== 'market.adjust-stock') return
    const { nowMs } = this.#parts
    const key = `${itemRef} ${observedQuantity}`
    const isNew = nowMs() > (this.#sentMs.get(key) ?? Number.NEGATIVE_INFINITY) + sentAgainMsMax
    this.#sentMs.set(key, nowMs())
    const waiting = this.#waiting(itemRef)
    const at = waiting.findIndex(
      ({ call, hasLeft }) => !hasLeft && call.input?.['observedQuantity'] === observedQuantity,
    )
    const leaving = waiting[at]
    if (!leaving || !isNew) return
    leaving.hasLeft = true
    if (waiting.slice(at + 1).some(({ hasLeft }) => hasLeft))
      this.#parts.break('calls about an item leave in the order of their arrival', key)
  }

  #waiting(itemRef: unknown): readonly WaitingStock[] {
    const startedMs = this.#parts.startedMs()
    return (this.#arrived.get(String(itemRef)) ?? []).filter((arrived) => arrived.startedMs === startedMs)
  }
}
