import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { limits } from '../../../../contract/limits.ts'
import { startOfRunMs } from '../../host-clock.ts'
import type { Day } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../witnessed.ts'
import { type AttemptOutcome, outcomeOf } from './attempt-outcome.ts'
import { parseSignature } from './signature.ts'
import { stockOf } from './stock-of.ts'

/** A stock that left an agent. */
interface SentStock {
  readonly quantity: number
  readonly sentMs: number
  /** `answer`: with the answer to a webhook. The platform says nothing to it. */
  readonly by: 'attempt' | 'answer'
  outcome: AttemptOutcome
  /** The agent does not wait for its answer any more. */
  hasEnded: boolean
  /** The platform itself said that it has no such item. That ends a repair. */
  isUnknownItem: boolean
  /** When the platform took note of it, at the latest. Minus infinity if it did not, or if that is not known. */
  latestMs: number
}

/** How long the envelope of an attempt is valid. */
const lifetimeMs = 30_000
/** What the drift of a clock adds in this time. */
const driftMsMax = 500
/**
 * Which stocks left agents, and which of them may reach the platform late. A newer stock must be sent again when they cannot:
 * whether one of them is really late is chance, but that is a promise. An older one that was accepted after the newest one left
 * counts too.
 */
export class LateStocks {
  readonly #platform: () => ModelPlatform
  readonly #nowMs: () => number
  readonly #day: Day
  /** By item, in the order in which they left. */
  readonly #sent = new Map<string, SentStock[]>()

  constructor(platform: () => ModelPlatform, day: Day, nowMs: () => number) {
    this.#platform = platform
    this.#day = day
    this.#nowMs = nowMs
  }

  /** @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const stock = stockOf(request, this.#platform())
    if (!stock) return undefined
    const { itemRef, quantity } = stock
    const expiresMs = (parseSignature(request.headers)?.exp ?? 0) * 1_000 - startOfRunMs
    // An agent whose clock is ahead does not know for how long its envelopes are valid. The network of a wave is not as slow.
    const sent = this.#note(itemRef, quantity, 'attempt', Math.min(expiresMs, this.#nowMs() + lifetimeMs))
    return (result) => {
      sent.hasEnded = true
      sent.outcome = outcomeOf(result)
      sent.isUnknownItem = saysUnknown(result)
      if (sent.outcome === 'accepted') sent.latestMs = this.#nowMs()
      else if (sent.outcome !== 'open') sent.latestMs = Number.NEGATIVE_INFINITY
    }
  }

  /** A stock leaves with the answer to a webhook. */
  onStockAnswered(itemRef: string, quantity: number, arrivedMs: number): void {
    this.#note(itemRef, quantity, 'answer', arrivedMs + limits.webhookTimeoutMs)
  }

  /** The stock that the platform accepted last; undefined if nobody knows, or if a fault of the storm decides it. */
  newestAccepted(itemRef: string): number | undefined {
    const arrived = this.#of(itemRef).filter(({ outcome }) => outcome !== 'refused')
    const last = arrived.findLastIndex(({ outcome }) => outcome === 'accepted')
    const [newest, ...later] = last < 0 ? [] : arrived.slice(last)
    if (!newest || newest.sentMs <= this.#day.stormEndedMs) return undefined
    return later.every(({ quantity }) => quantity === newest.quantity) ? newest.quantity : undefined
  }

  /**
   * A stock that may have arrived after the newest one, which was not sent again; undefined if there is none.
   *
   * @param beforeMs Only what could not arrive any more then.
   * @param answeredMs An attempt that left before then counts only with the platform's word: without it another one follows.
   */
  findUnrepaired(itemRef: string, newest: number, beforeMs: number, answeredMs: number): string | undefined {
    const sent = this.#of(itemRef)
    const mayCount = ({ by, sentMs, outcome, isUnknownItem }: SentStock) =>
      outcome === 'accepted' || isUnknownItem || by === 'answer' || (outcome !== 'refused' && sentMs > answeredMs)
    const isRepair = (stock: SentStock) => stock.quantity === newest && mayCount(stock)
    const lastMs = sent.findLast(isRepair)?.sentMs ?? Number.NEGATIVE_INFINITY
    // In the storm a platform or a proxy may have refused what was sent again.
    const isUnrepaired = ({ quantity, sentMs, latestMs }: SentStock) =>
      quantity !== newest && sentMs > this.#day.stormEndedMs && latestMs < beforeMs && lastMs < latestMs - driftMsMax
    const late = sent.find(isUnrepaired)
    return late && `${late.quantity} until ${Math.round(late.latestMs)}, ${newest} at ${Math.round(lastMs)}`
  }

  /**
   * Items of which the platform has, or may get, an older stock in the place of a newer one. Not while a stock of the item is
   * under way.
   *
   * @param startedMs When the process was started that waits for answers.
   */
  *findThreatened(startedMs: number): Generator<string> {
    const nowMs = this.#nowMs()
    for (const [itemRef, all] of this.#sent) {
      const sent = all.slice(all.findLastIndex(({ sentMs }) => sentMs < nowMs - lifetimeMs) + 1)
      const isUnderWay = sent.some(({ by, hasEnded, sentMs }) => by === 'attempt' && !hasEnded && sentMs > startedMs)
      if (isUnderWay) continue
      if (isOlderLate(sent, nowMs) || haveLastCrossed(sent.filter(({ sentMs }) => sentMs > startedMs))) yield itemRef
    }
  }

  #of(itemRef: string): readonly SentStock[] {
    return this.#sent.get(itemRef) ?? []
  }

  #note(itemRef: string, quantity: number, by: SentStock['by'], latestMs: number): SentStock {
    const sent: SentStock = {
      quantity,
      by,
      sentMs: this.#nowMs(),
      outcome: 'open',
      hasEnded: false,
      isUnknownItem: false,
      latestMs,
    }
    const known = this.#sent.get(itemRef)
    if (known) known.push(sent)
    else this.#sent.set(itemRef, [sent])
    return sent
  }
}

/** Whether a stock may still arrive over one that left after it and was accepted. */
function isOlderLate(sent: readonly SentStock[], nowMs: number): boolean {
  const newest = sent.findLast(({ outcome }) => outcome === 'accepted')
  const isLate = ({ quantity, outcome, sentMs, latestMs }: SentStock) =>
    newest && outcome === 'open' && quantity !== newest.quantity && sentMs < newest.sentMs && latestMs > nowMs
  return sent.some(isLate)
}

/** Whether one of the last two stocks left while the other was under way. Nobody knows which one the platform has, and nothing followed. */
function haveLastCrossed(sent: readonly SentStock[]): boolean {
  const [before, last] = sent.slice(-2)
  if (!before || !last || before.quantity === last.quantity) return false
  return before.outcome === 'accepted' && before.latestMs > last.sentMs && hasArrived(last)
}

function hasArrived({ by, outcome }: SentStock): boolean {
  return by === 'answer' || outcome === 'accepted'
}

/** The 404 of an intermediary is a page. */
function saysUnknown(result: AttemptResult): boolean {
  return result.kind === 'answered' && result.status === 404 && Buffer.from(result.body).toString().startsWith('{')
}
