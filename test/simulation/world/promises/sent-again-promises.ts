import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { Day } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { AgentWitness, GivenCall, LoggedLine, SentRequest } from '../witnessed.ts'
import { outcomeOf } from './attempt-outcome.ts'
import type { Break } from './judge.ts'
import { stockOf } from './stock-of.ts'

interface SentAgainParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly day: Day
  readonly nowMs: () => number
}

/** What was said about an item. */
interface Said {
  /** When each quantity was said last. */
  readonly lastMs: Map<number, number>
  /** Calls without an answer, and when each arrived. */
  readonly underWay: Map<GivenCall, number>
  /** When the newest call arrived whose quantity the platform accepted. */
  acceptedMs: number
}

/** The log has a reply when it is on the disk, which may be slow. */
const recordedMsMax = 6_000

/**
 * A stock that an agent sends again by itself is not older than one that a caller said later and that the platform accepted. The
 * game server calls over HTTP, so that each call is seen when it arrives.
 */
export class SentAgainPromises implements Partial<AgentWitness> {
  readonly #parts: SentAgainParts
  readonly #items = new Map<string, Said>()

  constructor(parts: SentAgainParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    const { itemRef, observedQuantity, transactionId } = call.input ?? {}
    if (typeof observedQuantity !== 'number') return
    if (call.operation === 'market.adjust-stock')
      this.#say(String(itemRef), observedQuantity).underWay.set(call, this.#parts.nowMs())
    else this.#sayOfOrder(Number(transactionId), observedQuantity)
  }

  onGiven(call: GivenCall): void {
    this.#items.get(String(call.input?.['itemRef']))?.underWay.delete(call)
  }

  onLogged({ transactionId, observedQuantity }: LoggedLine): void {
    if (transactionId !== undefined && typeof observedQuantity === 'number')
      this.#sayOfOrder(transactionId, observedQuantity)
  }

  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const stock = stockOf(request, this.#parts.platform)
    const said = stock && this.#items.get(stock.itemRef)
    if (!said || stock.by !== 'call') return undefined
    const calls = said.underWay.entries().filter(([{ input }]) => input?.['observedQuantity'] === stock.quantity)
    const arrivedMs = calls.map(([, ms]) => ms).toArray()
    if (arrivedMs.length === 0) return void this.#checkSentAgain(stock, said)
    return (result) => {
      if (outcomeOf(result) === 'accepted') said.acceptedMs = Math.max(said.acceptedMs, Math.min(...arrivedMs))
    }
  }

  #checkSentAgain({ itemRef, quantity }: { readonly itemRef: string; readonly quantity: number }, said: Said): void {
    const { day } = this.#parts
    const saidMs = said.lastMs.get(quantity)
    if (saidMs === undefined || said.acceptedMs <= day.stormEndedMs) return
    if (said.acceptedMs > saidMs + recordedMsMax)
      this.#parts.break(
        'no older stock is sent again over a newer one',
        `${itemRef}: ${quantity} of ${Math.round(saidMs)}`,
      )
  }

  #sayOfOrder(transactionId: number, quantity: number): void {
    if (this.#parts.platform.composed.platform.tables.transactions.byId(transactionId))
      this.#say(this.#parts.platform.itemOf(transactionId), quantity)
  }

  #say(itemRef: string, quantity: number): Said {
    const said = this.#items.get(itemRef) ?? {
      lastMs: new Map(),
      underWay: new Map(),
      acceptedMs: Number.NEGATIVE_INFINITY,
    }
    this.#items.set(itemRef, said)
    said.lastMs.set(quantity, this.#parts.nowMs())
    return said
  }
}
