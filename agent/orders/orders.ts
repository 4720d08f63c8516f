import pLimit from 'p-limit'
import type { OrdersOperation } from '../../contract/operations.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { Call } from '../call/call.ts'
import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { windowClock } from '../clock/window-clock.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { cures } from '../language/cures.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { HandOver, type HandOverOptions } from './hand-over.ts'
import { eventOf, type Order } from './order.ts'
import { OrderBook, type OrderBookOptions } from './order-book.ts'
import type { OrderLedger } from './order-ledger.ts'
import { awaitsReply } from './order-moves.ts'
import { orderOperations } from './order-operations.ts'
import { OrderReporter } from './order-reporter.ts'
import { OrderReports } from './order-reports.ts'
import type { OrdersPlatform } from './platform-port.ts'
import { judgeOrder, type PlatformWord, type Verdict, wordOf } from './platform-word.ts'

export interface OrdersOptions
  extends Pick<HandOverOptions, 'way' | 'push' | 'files'>,
    Pick<OrderBookOptions, 'onObserved'> {
  readonly ledger: OrderLedger
  readonly clock: Clock
  readonly log: Log
}

/** What came of a sweep. */
export interface Asked {
  /** Orders that the platform was asked about. */
  readonly asked: number
  /** Those of them about which it gave no answer. Nothing is known of them. */
  readonly unanswered: number
}

const sweepIntervalMs = 180_000
const purgeIntervalMs = 3_600_000
const closedKeptMs = 30 * 24 * 3_600_000
const questionsMax = 8
/** A game server that asks for its orders waits no longer for the platform. */
const proofWaitMs = 2_000
/** A full disk is tried again so often, while something waits for it. */
const fullProbeMs = 5_000

/** The orders of the agent: the ledger, what is handed over and reported, and what the platform is asked about. */
export class Orders {
  readonly book: OrderBook
  /** Learns from calls what becomes of orders. */
  readonly reports: CallReports
  /** Answers `orders.open` and `orders.take`. */
  readonly answer: (call: Call<OrdersOperation>) => Promise<CallAnswer>
  /** As `orders.open`, for `market-agent orders`: with the orders that the platform has not confirmed yet. */
  readonly listAll: () => Promise<CallAnswer>
  readonly handOver: HandOver
  readonly #options: OrdersOptions
  readonly #reporter: OrderReporter
  readonly #fullLog: LimitedLog
  readonly #stopping = new AbortController()
  readonly #slots = pLimit(questionsMax)
  /** Questions under way, so that those who ask at once share one. */
  readonly #questions = new Map<number, Promise<Verdict>>()
  #platform: OrdersPlatform | undefined
  #sweep: Promise<Asked> | undefined
  #fullCause: string | undefined
  #isClosed = false

  constructor(options: OrdersOptions) {
    const { ledger, clock, log, way, push, files, onObserved } = options
    this.#options = options
    this.#fullLog = new LimitedLog(log, clock)
    const onChange = (transactionId: number, order: Order | undefined): void => {
      this.#fullCause = undefined
      this.handOver.follow(transactionId, order)
      this.#reporter.follow(transactionId, order)
    }
    this.book = new OrderBook({ ledger, clock, log, onChange, onObserved })
    this.reports = new OrderReports(this.book, log)
    const attempt = (act: () => Promise<unknown>) => this.#attempt(act)
    this.#reporter = new OrderReporter({
      ...{ book: this.book, clock, attempt, limitedLog: this.#fullLog },
      platform: () => this.#platform,
    })
    this.handOver = new HandOver({
      ...{ way, push, files, clock, log, limitedLog: new LimitedLog(log, clock) },
      ask: async (transactionId) => {
        const order = await ledger.find(transactionId)
        return order ? (await this.ask(order)).kind : 'unanswered'
      },
      onReply: ({ transactionId, generation }, reply) =>
        attempt(() =>
          reply === 'confirmed'
            ? this.book.confirmEnd(transactionId)
            : this.book.reply(transactionId, reply, generation),
        ),
      onOffer: async ({ event, transactionId, generation }) => {
        if (event === 'transfer_order') await attempt(() => this.book.countOffer(transactionId, generation))
      },
    })
    const { answer, listAll } = orderOperations({
      ...{ book: this.book, clock },
      isProven: (transactionId) => this.handOver.isProven(transactionId),
      renewProofs: (orders) => this.#renewProofs(orders),
    })
    this.answer = answer
    this.listAll = listAll
  }

  /** Why orders cannot be recorded: the code of the system's error; undefined while they can. */
  get fullCause(): string | undefined {
    return this.#fullCause
  }

  /** Begins: with each open order the platform is asked first, at once and every few minutes. */
  async start(platform: OrdersPlatform): Promise<void> {
    const { ledger, clock, way } = this.#options
    this.#platform = platform
    const ends = await ledger.findUnconfirmedEnds()
    for (const order of [...(await ledger.findOpen()), ...ends]) {
      this.handOver.follow(order.transactionId, order)
      this.#reporter.follow(order.transactionId, order)
    }
    await this.handOver.start()
    // A reply that was there already may be that of a game server that has died since.
    const startedMs = clock.wallMs()
    let isFirst = true
    this.#repeat(sweepIntervalMs, () => {
      // The first one is about all that was open at the start, but not about orders taken since.
      const beforeMs = isFirst ? startedMs : clock.wallMs() - sweepIntervalMs
      isFirst = false
      return this.#sweepOnce((order) => this.#isDue(order, beforeMs))
    })
    const nowMs = windowClock(clock, closedKeptMs)
    // A game server that only asks confirms no end.
    const unconfirmed = way === 'asking' ? 'remove' : 'keep'
    this.#repeat(purgeIntervalMs, () => this.book.removeClosedBefore(nowMs() - closedKeptMs, unconfirmed))
    this.#repeat(fullProbeMs, async () => {
      if (this.#fullCause === undefined) return
      await ledger.assertWritable()
      this.#fullCause = undefined
    })
  }

  /** Asks the platform about a transaction. Those who ask at once share one question. */
  async word(transactionId: number): Promise<PlatformWord> {
    const platform = this.#platform
    if (!platform || this.#stopping.signal.aborted) return { kind: 'unanswered' }
    return wordOf((await this.#slots(() => platform.call('transaction.get', { transactionId }))).answer)
  }

  /** Asks the platform about an order. What follows from its answer is in the ledger when this resolves. */
  ask(order: Order): Promise<Verdict> {
    const { transactionId } = order
    const underWay = this.#questions.get(transactionId)
    if (underWay) return underWay
    const question = this.#askOnce(order).finally(() => this.#questions.delete(transactionId))
    this.#questions.set(transactionId, question)
    return question
  }

  /** Asks the platform about every open order. Those who want it at once share one sweep. */
  async check(): Promise<Asked> {
    const asked = await this.#sweepOnce(() => true)
    this.#options.log.info({ ...asked }, 'the platform was asked about every open order')
    return asked
  }

  /** Notes that nothing can be recorded, so that the agent is not ready. */
  onFull({ code }: StoreFullError): void {
    this.#fullCause = code ?? 'ENOSPC'
    this.#fullLog.warn({ cause: code, cure: cures.freeSpace() }, 'nothing can be recorded about orders')
  }

  /** Ends the waits of webhooks. Resolves when replies under way are durable. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#reporter.stop()
    await this.handOver.stop()
  }

  /** Nothing is changed any more. */
  close(): void {
    this.#stopping.abort()
    this.#isClosed = true
  }

  async #askOnce(order: Order): Promise<Verdict> {
    const askedMs = this.#options.clock.monotonicMs()
    const verdict = judgeOrder(await this.word(order.transactionId), eventOf(order))
    if (!this.#isClosed) await this.#attempt(() => this.#apply(order, verdict, askedMs))
    return verdict
  }

  /** What follows from each word of the platform about an open order. */
  async #apply(order: Order, verdict: Verdict, askedMs: number): Promise<unknown> {
    const { transactionId, phase, retryAtMs } = order
    switch (verdict.kind) {
      case 'unanswered':
        return undefined
      case 'unknown':
        return this.book.doubt(order, 'the platform does not know its transaction')
      case 'contradicted':
        return this.book.doubt(order, `the platform shows another ${verdict.field}`)
      case 'undecided':
        return this.book.recognize(order)
      case 'over':
        // The report meets that, and says what follows from it.
        if (phase === 'reporting') return this.#reporter.hasten(transactionId)
        return this.book.closeAsked(order, verdict.outcome)
      case 'awaited': {
        if (phase === 'reporting' || phase === 'closed') return this.book.recognize(order)
        // By the platform's clock, which this answer has corrected.
        if (phase === 'put-off' && (retryAtMs ?? 0) > (this.#platform?.platformMs() ?? 0))
          return this.book.recognize(order)
        await (awaitsReply(phase) ? this.book.prove(order) : this.book.remind(order))
        return this.handOver.prove(transactionId, askedMs)
      }
    }
  }

  #isDue({ phase, retryAtMs, sinceMs }: Order, beforeMs: number): boolean {
    if (phase === 'reporting') return false
    if (phase === 'put-off' && retryAtMs !== null) return retryAtMs <= (this.#platform?.platformMs() ?? 0)
    // An order of the future: the clock was set back.
    return sinceMs <= beforeMs || sinceMs > this.#options.clock.wallMs()
  }

  #sweepOnce(isMeant: (order: Order) => boolean): Promise<Asked> {
    this.#sweep ??= this.#askAll(isMeant).finally(() => {
      this.#sweep = undefined
    })
    return this.#sweep
  }

  async #askAll(isMeant: (order: Order) => boolean): Promise<Asked> {
    const due = (await this.#options.ledger.findOpen()).filter(isMeant)
    // The answer to a question that was asked before an order was taken must not have it offered again.
    const ask = (order: Order) => (awaitsReply(order.phase) ? this.ask(order) : this.#askOnce(order))
    const verdicts = await Promise.all(due.map(ask))
    return { asked: due.length, unanswered: verdicts.filter(({ kind }) => kind === 'unanswered').length }
  }

  async #renewProofs(orders: readonly Order[]): Promise<void> {
    const stale = orders.filter(({ transactionId }) => !this.handOver.isProven(transactionId))
    if (stale.length === 0) return
    const { promise: isLate, resolve } = Promise.withResolvers<void>()
    const cancel = this.#options.clock.after(proofWaitMs, resolve)
    await Promise.race([Promise.all(stale.map((order) => this.ask(order))), isLate]).finally(cancel)
  }

  #repeat(intervalMs: number, act: () => Promise<unknown>): void {
    const stop = repeat(this.#options.clock, intervalMs, () => this.#attempt(act))
    this.#stopping.signal.addEventListener('abort', stop)
  }

  /** For work without a caller that waits. A change that could not be recorded is tried again later. */
  async #attempt(act: () => Promise<unknown>): Promise<void> {
    if (this.#isClosed) return
    try {
      await act()
    } catch (error) {
      if (error instanceof StoreFullError) this.onFull(error)
      else this.#options.log.error({ err: error }, 'the webhook bridge failed: a bug of the agent')
    }
  }
}
