import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { limits } from '../../../../contract/limits.ts'
import { startOfRunMs } from '../../host-clock.ts'
import type { Day } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AnsweredStock } from '../witnessed.ts'
import { type AttemptOutcome, isRefusedForGood, outcomeOf } from './attempt-outcome.ts'
import { parseSignature } from './signature.ts'
import { type RequestedStock, stockOf } from './stock-of.ts'

/** A stock that left an agent. */
interface SentStock {
  readonly quantity: number
  readonly sentMs: number
  /** `call`: the agent notes it before it leaves. `report`: about an order. `answer`: to a webhook, which the platform does not confirm. */
  readonly by: 'call' | 'report' | 'answer'
  /** The order that it answers. */
  readonly transactionId: number | undefined
  outcome: 'under-way' | AttemptOutcome
  /** When its attempt ended. */
  endedMs: number
  /** The platform itself refused it. That ends a repair. */
  isRefusedForGood: boolean
  /** When the platform took note of it, at the latest. Minus infinity if it did not, or if that is not known. */
  latestMs: number
}

/** How long the envelope of an attempt is valid. */
const lifetimeMs = 30_000
/** Most stocks that must be sent again have been by then. The others are not looked at any longer. */
const sentAgainMsMax = 4 * lifetimeMs
/** From a report's first attempt to its end. */
const reportMsMax = 60_000
/** Longer than the wait before another attempt after one that had no answer. */
const retryDelayMsMax = 6_000
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
    const { itemRef, quantity, by } = stock
    const expiresMs = (parseSignature(request.headers)?.exp ?? 0) * 1_000 - startOfRunMs
    // An agent whose clock is ahead does not know for how long its envelopes are valid. The network of a wave is not as slow.
    const sent = this.#note(itemRef, { quantity, by, latestMs: Math.min(expiresMs, this.#nowMs() + lifetimeMs) })
    return (result) => {
      sent.outcome = outcomeOf(result)
      sent.endedMs = this.#nowMs()
      sent.isRefusedForGood = isRefusedForGood(result)
      if (sent.outcome === 'accepted') sent.latestMs = this.#nowMs()
      else if (sent.outcome !== 'open') sent.latestMs = Number.NEGATIVE_INFINITY
    }
  }

  /** A stock leaves with the answer to a webhook. */
  onStockAnswered({ transactionId, itemRef, quantity, arrivedMs }: AnsweredStock): void {
    this.#note(itemRef, { transactionId, quantity, by: 'answer', latestMs: arrivedMs + limits.webhookTimeoutMs })
  }

  /** Whether for longer than a report takes only calls have said anything about an item, and none of them this quantity. */
  isNewInCalls({ itemRef, quantity }: Pick<RequestedStock, 'itemRef' | 'quantity'>): boolean {
    const sinceMs = this.#nowMs() - reportMsMax
    return this.#of(itemRef).every(
      (stock) => stock.sentMs < sinceMs || (stock.by === 'call' && stock.quantity !== quantity),
    )
  }

  /** Whether a call of this process about an item has no answer and may still arrive. */
  mayArriveLate(itemRef: string, startedMs: number): boolean {
    // The agent's clock and the platform's may drift.
    const untilMs = this.#nowMs() + 2 * driftMsMax
    return this.#of(itemRef).some(
      ({ by, outcome, sentMs, latestMs }) =>
        by === 'call' && outcome === 'open' && sentMs > startedMs && latestMs > untilMs,
    )
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
   * The stock in the answer to an order, if another one may have arrived after it: then it is sent again. Otherwise undefined: the
   * platform may not have got the answer, and the agent cannot know that.
   *
   * @param sinceMs An earlier process may have answered before it, and the one that runs now need not know about it.
   */
  newestAfterAnswer(said: Omit<AnsweredStock, 'arrivedMs'>, sinceMs: number): number | undefined {
    const sent = this.#of(said.itemRef)
    const answered = sent.findLast(({ transactionId }) => transactionId === said.transactionId)
    // Another quantity is of an earlier reply to the same order.
    if (!answered || answered.sentMs < sinceMs || answered.quantity !== said.quantity) return undefined
    // A fault of the storm may decide it, and a refusal ends what is sent again.
    const isRefused = sent.some(({ sentMs, isRefusedForGood }) => isRefusedForGood && sentMs > answered.sentMs)
    if (isRefused || answered.sentMs <= this.#day.stormEndedMs) return undefined
    const mayBeOver = ({ quantity, latestMs }: SentStock) =>
      quantity !== said.quantity && latestMs > answered.sentMs + driftMsMax
    return sent.some(mayBeOver) ? said.quantity : undefined
  }

  /**
   * A stock that may have arrived after the newest one, which was not sent again; undefined if there is none.
   *
   * @param lateBeforeMs Only a stock that could not arrive any more by then counts as late.
   * @param answeredBeforeMs An attempt that left before this time counts only if the platform answered it. Without an answer,
   *   another attempt must have left by now.
   */
  findUnrepaired(
    itemRef: string,
    newest: number,
    { lateBeforeMs, answeredBeforeMs }: { readonly lateBeforeMs: number; readonly answeredBeforeMs: number },
  ): string | undefined {
    const sent = this.#of(itemRef)
    const mayCount = (stock: SentStock) =>
      mayHaveArrived(stock) ||
      stock.isRefusedForGood ||
      (stock.outcome !== 'refused' && stock.sentMs > answeredBeforeMs)
    const isRepair = (stock: SentStock) => stock.quantity === newest && mayCount(stock)
    const lastMs = sent.findLast(isRepair)?.sentMs ?? Number.NEGATIVE_INFINITY
    // In the storm a platform or a proxy may have refused what was sent again.
    const isUnrepaired = ({ quantity, sentMs, latestMs }: SentStock) =>
      quantity !== newest &&
      sentMs > this.#day.stormEndedMs &&
      latestMs < lateBeforeMs &&
      lastMs < latestMs - driftMsMax
    const late = sent.find(isUnrepaired)
    return late && `${late.quantity} until ${Math.round(late.latestMs)}, ${newest} at ${Math.round(lastMs)}`
  }

  /**
   * The items whose newest stock must be sent again: an older one may arrive after it, or crossed it. Items with a stock under way are
   * left out.
   *
   * @param startedMs When the running process was started. It does not wait for answers to earlier processes.
   * @returns Each with the time at which the newest one left.
   */
  *findItemsToRepair(startedMs: number): Generator<{ readonly itemRef: string; readonly newestMs: number }> {
    const nowMs = this.#nowMs()
    const isOfProcess = ({ sentMs }: SentStock) => sentMs > startedMs
    for (const [itemRef, all] of this.#sent) {
      const sent = all.slice(all.findLastIndex(({ sentMs }) => sentMs < nowMs - sentAgainMsMax) + 1)
      const ofProcess = sent.filter(isOfProcess)
      if (ofProcess.some(({ outcome }) => outcome === 'under-way')) continue
      const newest = ofProcess.findLast(({ outcome }) => outcome === 'accepted')
      const last = ofProcess.at(-1)
      if (newest && isOlderLate(sent, newest, { startedMs, nowMs })) yield { itemRef, newestMs: newest.sentMs }
      else if (last && haveLastTwoCrossed(ofProcess)) yield { itemRef, newestMs: last.sentMs }
    }
  }

  #of(itemRef: string): readonly SentStock[] {
    return this.#sent.get(itemRef) ?? []
  }

  #note(itemRef: string, stock: Pick<SentStock, 'by' | 'quantity' | 'latestMs'> & Partial<SentStock>): SentStock {
    const sent: SentStock = {
      transactionId: undefined,
      sentMs: this.#nowMs(),
      outcome: stock.by === 'answer' ? 'open' : 'under-way',
      endedMs: Number.POSITIVE_INFINITY,
      isRefusedForGood: false,
      ...stock,
    }
    const known = this.#sent.get(itemRef)
    if (known) known.push(sent)
    else this.#sent.set(itemRef, [sent])
    return sent
  }
}

/**
 * Whether a stock may arrive over one that left after it and was not sent again since. When it cannot arrive any more, that is known
 * only if nothing else was said. Of a report nothing is noted before it is over, but a process that ends while it is
 * under way leaves it to the next one.
 */
function isOlderLate(
  sent: readonly SentStock[],
  newest: SentStock,
  { startedMs, nowMs }: { readonly startedMs: number; readonly nowMs: number },
): boolean {
  const isSame = ({ quantity }: SentStock) => quantity === newest.quantity
  const repairedMs = sent.findLast((stock) => isSame(stock) && endsRepair(stock))?.sentMs ?? newest.sentMs
  const isReportOver = haveReportsEnded(sent, nowMs)
  const isNothingElseSaid = sent.every((stock) => stock.sentMs <= newest.sentMs || isSame(stock))
  return sent.some(
    (stock) =>
      (stock.by !== 'report' || stock.sentMs < startedMs || isReportOver) &&
      !isSame(stock) &&
      stock.sentMs < newest.sentMs &&
      (stock.latestMs > nowMs || (isNothingElseSaid && stock.latestMs > repairedMs + driftMsMax)),
  )
}

/** Whether no attempt for a report follows: the last one had no answer, and the wait after it is over. */
function haveReportsEnded(sent: readonly SentStock[], nowMs: number): boolean {
  const last = sent.findLast(({ by }) => by === 'report')
  return last?.outcome === 'open' && last.endedMs < nowMs - retryDelayMsMax
}

function endsRepair({ outcome, isRefusedForGood }: SentStock): boolean {
  return outcome === 'accepted' || isRefusedForGood
}

/** Whether the last two stocks crossed, and no other one followed. Nobody knows which of them the platform has. */
function haveLastTwoCrossed(sent: readonly SentStock[]): boolean {
  const [before, last] = sent.slice(-2)
  if (!before || !last || before.quantity === last.quantity) return false
  return before.outcome === 'accepted' && before.latestMs > last.sentMs && mayHaveArrived(last)
}

function mayHaveArrived({ by, outcome }: SentStock): boolean {
  return by === 'answer' || outcome === 'accepted'
}
