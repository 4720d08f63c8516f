import { limits } from '../../contract/limits.ts'
import type { OrdersOperation } from '../../contract/operations.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { Call } from '../call/call.ts'
import type { EndReport } from '../call/observations.ts'
import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { windowClock } from '../clock/window-clock.ts'
import { isStoreFailure } from '../database/store-errors.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { noteOrSendAgain, observeNewest } from './observe-newest.ts'
import type { Order } from './order.ts'
import { OrderBook } from './order-book.ts'
import { acknowledge } from './order-changes.ts'
import { OrderFiles, type OrderFilesOptions } from './order-files.ts'
import type { KnownObservation, OrderLedger } from './order-ledger.ts'
import { orderOperations } from './order-operations.ts'
import { OrderPath, type OrderPathOptions } from './order-path.ts'
import { OrderReports, type OrderReportsOptions } from './order-reports.ts'
import type { OrdersPlatform } from './platform-port.ts'
import { Questions } from './questions.ts'

export interface OrdersOptions
  extends Pick<OrderPathOptions, 'channel' | 'push' | 'mayBegin'>,
    Pick<OrderFilesOptions, 'files'>,
    Pick<OrderReportsOptions, 'observations'> {
  readonly ledger: OrderLedger
  readonly platform: OrdersPlatform
  readonly clock: Clock
  readonly log: Log
}

/** The result of a sweep. */
export interface Asked {
  /** Orders that the platform was asked about. */
  readonly asked: number
  /** Those of them about which it gave no answer. Nothing is known about them. */
  readonly unanswered: number
}

/** What a 2xx acknowledges. */
export interface Acknowledged {
  readonly itemRef: string
  /** Undefined for an order that is over and not in the ledger. */
  readonly order: Order | undefined
  /** What the 2xx says about its item; null for nothing. */
  readonly observed: KnownObservation | null
  /** The answer has left. */
  readonly endReport: EndReport
}

const purgeIntervalMs = 3_600_000
const rejectedKeptMs = 24 * 3_600_000
const closedKeptMs = 30 * rejectedKeptMs

/** The orders of the agent: the ledger, what is handed over and reported, and what the platform is asked about. */
export class Orders {
  readonly book: OrderBook
  readonly questions: Questions
  readonly files: OrderFiles
  readonly path: OrderPath
  /** Learns the results of orders from calls. */
  readonly reports: CallReports
  /** Answers `orders.open` and `orders.take`. */
  readonly answer: (call: Call<OrdersOperation>) => Promise<CallAnswer>
  /** As `orders.open`, for `market-agent orders`: with the orders that the platform has not confirmed yet. */
  readonly listAll: () => Promise<CallAnswer>
  /** As `listAll`, for every world that shares the store. */
  readonly listAllWorlds: () => Promise<CallAnswer>
  readonly #options: OrdersOptions
  #sweep: Promise<Asked> | undefined
  #stopPurging: () => void = () => undefined

  constructor(options: OrdersOptions) {
    const { ledger, channel, clock, log } = options
    this.#options = options
    const book = new OrderBook(ledger, clock, log)
    const attempt = (act: () => Promise<unknown>) => this.#attempt(act)
    const questions = new Questions({
      ...options,
      ...{ book, attempt, onAwaited: (...awaited) => this.path.prove(...awaited) },
    })
    const limitedLog = new LimitedLog(log, clock)
    this.files = new OrderFiles({ ...options, isChannel: channel === 'files', limitedLog })
    this.path = new OrderPath({ ...options, files: this.files, book, questions, attempt, limitedLog })
    this.reports = new OrderReports({ ...options, book })
    const { answer, listAll, listAllWorlds } = orderOperations({
      ...options,
      ...{ book, questions, path: this.path },
    })
    this.book = book
    this.questions = questions
    this.answer = answer
    this.listAll = listAll
    this.listAllWorlds = listAllWorlds
  }

  /** Begins: with each open order the platform is asked first. */
  async start(): Promise<void> {
    const { ledger, clock } = this.#options
    await this.path.start(await ledger.adopt())
    const rejectedClockMs = windowClock(clock, rejectedKeptMs)
    const closedClockMs = windowClock(clock, closedKeptMs)
    this.#stopPurging = repeat(clock, purgeIntervalMs, () =>
      this.#attempt(async () => {
        this.files.removeRejectedBefore(rejectedClockMs() - rejectedKeptMs)
        await this.book.removeClosedBefore(closedClockMs() - closedKeptMs)
      }),
    )
  }

  /** Asks the platform about every open order. Those who want it at once share one sweep. */
  check(): Promise<Asked> {
    this.#sweep ??= this.#askAll().finally(() => {
      this.#sweep = undefined
    })
    return this.#sweep
  }

  /**
   * A 2xx for an order is about to leave. The platform may read it after a newer observation. So the ledger is asked for the
   * quantity only after it is noted that this answer may arrive late.
   *
   * @param order As `Acknowledged.order`.
   * @throws {StoreUnreachableError} It could not be noted.
   */
  async beginAcknowledging(itemRef: string, order: Order | undefined): Promise<Acknowledged> {
    const { ledger, observations, clock } = this.#options
    const endReport = await observations.expectReport(itemRef, clock.monotonicMs() + limits.webhookTimeoutMs)
    return { itemRef, order, observed: await ledger.observationOf(itemRef), endReport }
  }

  /**
   * Our 2xx for an order has left. If that is not recorded, or a power cut undoes it, the order is offered once more.
   *
   * @param hasLeft False if the sender has hung up. It may still have read the answer.
   */
  endAcknowledging({ itemRef, order, observed, endReport }: Acknowledged, hasLeft: boolean): Promise<void> {
    const { observations } = this.#options
    return this.#attempt(async () => {
      if (observed === null) await endReport(0)
      else
        await noteOrSendAgain(observations, itemRef, observed.quantity, () =>
          this.#endAnswer(itemRef, observed, endReport),
        )
      if (hasLeft && order)
        await this.book.change(order.transactionId, acknowledge(order.generation), { survives: 'kill' })
    })
  }

  /** The platform reads the quantity in our answer, until its timeout. So it may read it after a newer observation. */
  async #endAnswer(itemRef: string, answered: KnownObservation, endReport: EndReport): Promise<void> {
    const { ledger, observations, clock } = this.#options
    const lateUntilMs = clock.monotonicMs() + limits.webhookTimeoutMs
    const isNewer = (known: KnownObservation | null) => known !== null && known.mark > answered.mark
    await endReport(lateUntilMs, isNewer(await ledger.observationOf(itemRef)) ? undefined : answered.quantity)
    // Another agent may have a newer one by now.
    const newest = await ledger.observationOf(itemRef)
    if (newest && isNewer(newest)) await observeNewest(observations, ledger, itemRef, newest)
  }

  /** Ends the waits of webhooks. Resolves when replies under way are durable. */
  async stop(): Promise<void> {
    this.questions.stop()
    this.#stopPurging()
    await this.path.stop()
  }

  async #askAll(): Promise<Asked> {
    const open = await this.book.ledger.findOpen()
    const verdicts = await Promise.all(open.map((order) => this.questions.ask(order)))
    const asked = { asked: open.length, unanswered: verdicts.filter(({ kind }) => kind === 'unanswered').length }
    this.#options.log.info(asked, 'the platform was asked about every open order')
    return asked
  }

  /**
   * For work without a caller that waits. A change that could not be recorded is tried again later; the ledger has
   * reported it.
   */
  async #attempt(act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!isStoreFailure(error))
        this.#options.log.error({ err: error }, 'the webhook bridge failed: a bug of the agent')
    }
  }
}
