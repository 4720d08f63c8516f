import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { Day } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness, AnsweredStock, GivenCall, LoggedLine } from '../witnessed.ts'
import { isRefusedForGood, outcomeOf } from './attempt-outcome.ts'
import type { ProcessParts } from './judge.ts'
import { type RequestedStock, stockOf } from './stock-of.ts'

interface SentAgainParts extends ProcessParts {
  readonly platform: ModelPlatform
  readonly day: Day
}

/** What was said about an item. */
interface Said {
  /** When each quantity was said last. */
  readonly lastMs: Map<number, number>
  /** Calls without an answer, and when each arrived. */
  readonly underWay: Map<GivenCall, number>
  /** When the newest call arrived whose quantity the platform accepted, and when the process was started that heard so. */
  accepted: { readonly atMs: number; readonly startedMs: number }
  /** How often something was said or sent about it. */
  changes: number
  /** What was sent again and refused by the platform for good, if nothing was said or sent since. */
  refused: { readonly quantity: number; readonly startedMs: number; readonly changes: number } | undefined
}

interface SentAgain {
  readonly itemRef: string
  readonly quantity: number
  readonly atMs: number
  /** When the process was started that sent it. */
  readonly startedMs: number
}

/** The log has a reply when it is on the disk, which may be slow. */
const recordedMsMax = 6_000

/**
 * An agent does not send a stock again after the platform has accepted one that a caller said later, or after the platform
 * has refused it. The game server calls over HTTP, so that each call is seen when it arrives.
 */
export class SentAgainPromises implements Partial<AgentWitness> {
  readonly #parts: SentAgainParts
  readonly #items = new Map<string, Said>()
  /** Stocks that were sent again and seem older. The log may still say that a reply has said them since. */
  #older: readonly SentAgain[] = []

  constructor(parts: SentAgainParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    const { itemRef, observedQuantity, transactionId } = call.input ?? {}
    if (typeof observedQuantity !== 'number') return
    if (call.operation === 'market.adjust-stock')
      this.#say(String(itemRef), observedQuantity).underWay.set(call, this.#parts.nowMs())
    else this.#sayAboutOrder(Number(transactionId), observedQuantity)
  }

  onGiven(call: GivenCall): void {
    this.#items.get(String(call.input?.['itemRef']))?.underWay.delete(call)
  }

  onStockAnswered({ itemRef }: AnsweredStock): void {
    const said = this.#items.get(itemRef)
    if (said) said.changes++
  }

  onLogged({ transactionId, observedQuantity }: LoggedLine): void {
    if (transactionId !== undefined && typeof observedQuantity === 'number')
      this.#sayAboutOrder(transactionId, observedQuantity)
  }

  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const stock = stockOf(request, this.#parts.platform)
    const said = stock && this.#items.get(stock.itemRef)
    if (!said) return undefined
    const { startedMs } = this.#parts
    const arrivedMs = said.underWay
      .entries()
      .filter(([{ input }, ms]) => input?.['observedQuantity'] === stock.quantity && ms >= startedMs())
      .map(([, ms]) => ms)
      .toArray()
    if (stock.by === 'call' && arrivedMs.length === 0) return this.#onSentAgain(stock, said)
    said.changes++
    return (result) => {
      said.changes++
      const atMs = Math.min(...arrivedMs)
      if (stock.by === 'call' && outcomeOf(result) === 'accepted' && atMs > said.accepted.atMs)
        said.accepted = { atMs, startedMs: startedMs() }
    }
  }

  /** A stock leaves for which no call is under way. */
  #onSentAgain({ itemRef, quantity }: RequestedStock, said: Said): (result: AttemptResult) => void {
    const sentAgain = { itemRef, quantity, atMs: this.#parts.nowMs(), startedMs: this.#parts.startedMs() }
    if (this.#isOlder(sentAgain, said)) this.#older = [...this.#older, sentAgain]
    const { refused, changes } = said
    const isSame = refused?.quantity === quantity && refused.startedMs === sentAgain.startedMs
    if (isSame && refused.changes === changes)
      this.#parts.break('a stock that is refused is not sent again by itself', `${itemRef}: ${quantity}`)
    return (result) => {
      if (isRefusedForGood(result)) said.refused = { quantity, startedMs: sentAgain.startedMs, changes }
    }
  }

  /** At each look. */
  check(): void {
    const { nowMs, startedMs } = this.#parts
    // Nobody knows what a process would have logged that ended.
    this.#older = this.#older.filter((sentAgain) => sentAgain.startedMs === startedMs())
    const late = this.#older.find(({ atMs }) => nowMs() > atMs + recordedMsMax)
    if (late) this.#parts.break('no older stock is sent again over a newer one', `${late.itemRef}: ${late.quantity}`)
  }

  /** A process that ended may have told nobody what was accepted. */
  #isOlder({ quantity, startedMs }: SentAgain, { lastMs, accepted }: Said): boolean {
    const saidMs = lastMs.get(quantity)
    if (saidMs === undefined || accepted.startedMs !== startedMs) return false
    return accepted.atMs > this.#parts.day.stormEndedMs && accepted.atMs > saidMs + recordedMsMax
  }

  #sayAboutOrder(transactionId: number, quantity: number): void {
    if (this.#parts.platform.composed.platform.tables.transactions.byId(transactionId))
      this.#say(this.#parts.platform.itemOf(transactionId), quantity)
  }

  #say(itemRef: string, quantity: number): Said {
    const said = this.#items.get(itemRef) ?? {
      lastMs: new Map(),
      underWay: new Map(),
      accepted: { atMs: Number.NEGATIVE_INFINITY, startedMs: 0 },
      changes: 0,
      refused: undefined,
    }
    this.#items.set(itemRef, said)
    said.changes++
    said.lastMs.set(quantity, this.#parts.nowMs())
    this.#older = this.#older.filter((older) => older.itemRef !== itemRef || older.quantity !== quantity)
    return said
  }
}
