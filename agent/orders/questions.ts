import pLimit from 'p-limit'
import type { Clock } from '../clock/clock.ts'
import { windowClock } from '../clock/window-clock.ts'
import { eventOf, type Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { closeAsked, doubt, expectDelivery, type OrderChange, recognize } from './order-changes.ts'
import type { OrdersPlatform } from './platform-port.ts'
import { judgeOrder, type PlatformWord, type Verdict, wordOf } from './platform-word.ts'

export interface QuestionsOptions {
  readonly book: OrderBook
  readonly platform: OrdersPlatform
  /** Called when the platform waits for an order. `askedMs` (monotonic): when it was asked. */
  readonly onAwaited: (transactionId: number, askedMs: number) => void
  /** For work without a caller: it reports what is thrown. */
  readonly attempt: (act: () => Promise<unknown>) => Promise<void>
  readonly clock: Clock
}

const questionsMax = 8
const dayMs = 24 * 3_600_000

/** What the agent asks the platform about orders, under its own key, and what follows from each answer. */
export class Questions {
  readonly #options: QuestionsOptions
  readonly #slots = pLimit(questionsMax)
  /** Under way, so that those who ask at once share one. */
  readonly #underWay = new Map<number, Promise<Verdict>>()
  /** For what lasts a day. */
  readonly #dayClockMs: () => number
  #isStopped = false

  constructor(options: QuestionsOptions) {
    this.#options = options
    this.#dayClockMs = windowClock(options.clock, dayMs, 'ignored')
  }

  /** Asks about a transaction. */
  async word(transactionId: number): Promise<PlatformWord> {
    const ask = () => this.#options.platform.call('transaction.get', { transactionId })
    return this.#isStopped ? { kind: 'unanswered' } : wordOf((await this.#slots(ask)).answer)
  }

  /** Asks about an order. The effect of the answer is in the ledger when this resolves. Never throws. */
  ask(order: Order): Promise<Verdict> {
    const { transactionId } = order
    const underWay = this.#underWay.get(transactionId)
    if (underWay) return underWay
    const question = this.#askOnce(order).finally(() => this.#underWay.delete(transactionId))
    this.#underWay.set(transactionId, question)
    return question
  }

  /** Nothing is asked, and no answer counts any more. */
  stop(): void {
    this.#isStopped = true
  }

  async #askOnce(order: Order): Promise<Verdict> {
    const { book, attempt, onAwaited, clock } = this.#options
    const { transactionId } = order
    const askedMs = clock.monotonicMs()
    const verdict = judgeOrder(await this.word(transactionId), eventOf(order))
    const change = this.#isStopped ? undefined : this.#changeBy(verdict, order)
    if (!change) return verdict
    await attempt(async () => {
      const isAbout = (await book.change(transactionId, change)) !== undefined
      if (isAbout && verdict.kind === 'awaited') onAwaited(transactionId, askedMs)
    })
    return verdict
  }

  /** What follows from each word of the platform about an open order. */
  #changeBy(verdict: Verdict, order: Order): OrderChange | undefined {
    switch (verdict.kind) {
      case 'unanswered':
        return undefined
      case 'unknown':
        return doubt(order, 'the platform does not know its transaction', this.#dayClockMs())
      case 'contradicted':
        return doubt(order, `the platform shows another ${verdict.field}`, this.#dayClockMs())
      case 'undecided':
        return recognize(order)
      case 'over':
        return closeAsked(order, verdict)
      case 'awaited': {
        // By the platform's clock, which this answer has corrected.
        const isPutOff = order.phase === 'put-off' && (order.retryAtMs ?? 0) > this.#options.platform.platformMs()
        return isPutOff ? recognize(order) : expectDelivery(order)
      }
    }
  }
}
