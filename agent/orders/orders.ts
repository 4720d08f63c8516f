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
import { type Asked, type AskPlatformOptions, askPlatform } from './ask-platform.ts'
import { messagesOf } from './message.ts'
import { type Handover, Offers, type OnReply } from './offers.ts'
import type { Order } from './order.ts'
import { OrderBook, type OrderBookOptions } from './order-book.ts'
import type { OrderLedger } from './order-ledger.ts'
import { orderOperations } from './order-operations.ts'
import { OrderReports } from './order-reports.ts'
import { Waiters } from './waiters.ts'

export interface OrdersOptions extends Pick<OrderBookOptions, 'onObserved'> {
  readonly ledger: OrderLedger
  readonly clock: Clock
  readonly log: Log
  /** Makes the way to the game server; undefined where the game server only asks. */
  readonly handover: (onReply: OnReply) => Handover | undefined
}

/** The platform, as far as orders need it. */
export type OrdersPlatform = Pick<AskPlatformOptions, 'getTransaction' | 'platformMs'>

/** The platform waits for 10 s. */
const webhookWaitMs = 9_000
const askIntervalMs = 180_000
const purgeIntervalMs = 3_600_000
const closedKeptMs = 30 * 24 * 3_600_000

/** The orders of the agent: the ledger, what is offered to the game server, and what the platform is asked about. */
export class Orders {
  readonly book: OrderBook
  readonly waiters: Waiters
  /** Learns from calls what becomes of orders. */
  readonly reports: CallReports
  /** Answers `orders.open` and `orders.take`. */
  readonly answer: (call: Call<OrdersOperation>) => Promise<CallAnswer>
  readonly #options: OrdersOptions
  readonly #handover: Handover | undefined
  readonly #offers: Offers | undefined
  readonly #fullLog: LimitedLog
  readonly #stopping = new AbortController()
  readonly #stopRepeating: (() => void)[] = []
  #isClosed = false

  constructor(options: OrdersOptions) {
    const { ledger, clock, log, onObserved } = options
    this.#options = options
    this.#fullLog = new LimitedLog(log, clock)
    this.waiters = new Waiters(clock, webhookWaitMs)
    const onChange = (order: Order): void => {
      this.#offers?.follow(order)
      this.waiters.follow(order)
    }
    this.book = new OrderBook({ ledger, clock, log, onChange, onObserved })
    this.reports = new OrderReports(this.book, log)
    this.answer = orderOperations(this.book, clock)
    const onReply: OnReply = (message, { observedQuantity }) =>
      this.#attempt(() =>
        observedQuantity === undefined
          ? this.book.confirmEnd(message.transactionId)
          : this.book.take(message.transactionId, observedQuantity, message.generation),
      )
    this.#handover = options.handover(onReply)
    this.#offers =
      this.#handover &&
      new Offers({
        handover: this.#handover,
        clock,
        onReply,
        onPush: ({ event, transactionId, generation }, isFirst) => {
          if (event !== 'transfer_order') return
          void this.#attempt(() => this.book.countOffer(transactionId, generation, isFirst))
        },
      })
  }

  /** Pushes the messages of a transaction now, because the platform waits for it. */
  hasten(transactionId: number): void {
    this.#offers?.hasten(transactionId)
  }

  /** Offers what is open, then asks the platform about it, at once and every few minutes. */
  async start(platform: OrdersPlatform): Promise<void> {
    const { clock } = this.#options
    const ends = await this.book.findUnconfirmedEnds()
    const open = [...(await this.book.findOpen()), ...ends]
    for (const order of open) this.#offers?.follow(order)
    await this.#handover?.start(open.flatMap(messagesOf))
    // A reply that was there already may be that of a game server that has died since.
    const startedMs = clock.wallMs()
    let isFirst = true
    this.#attemptRepeatedly(askIntervalMs, () => {
      // First about all that was there at the start, and not about what the game server has just taken.
      const before = isFirst ? startedMs : clock.wallMs() - askIntervalMs
      isFirst = false
      return this.#ask(platform, before)
    })
    const nowMs = windowClock(clock, closedKeptMs)
    // A game server that only asks confirms no end.
    const unconfirmed = this.#handover ? 'keep' : 'remove'
    this.#attemptRepeatedly(purgeIntervalMs, () => this.book.removeClosedBefore(nowMs() - closedKeptMs, unconfirmed))
  }

  /** Asks the platform about every open order now. Resolves when that is done, and each answer is in the ledger. */
  async check(platform: OrdersPlatform): Promise<Asked> {
    const asked = await this.#ask(platform, 'all')
    this.#options.log.info({ ...asked }, 'the platform was asked about every open order')
    return asked
  }

  /** Ends the waits of webhooks. Resolves when replies under way are durable. */
  async stop(): Promise<void> {
    this.#stopTimers()
    this.waiters.stop()
    await Promise.all([this.#offers?.stop(), this.#handover?.stop()])
  }

  /** Closes the way to the game server. Nothing is changed any more. */
  async close(): Promise<void> {
    this.#stopTimers()
    this.#isClosed = true
    await this.#handover?.close()
  }

  #ask(platform: OrdersPlatform, before: AskPlatformOptions['before']): Promise<Asked> {
    const { clock } = this.#options
    return askPlatform({ ...platform, book: this.book, clock, before, stopping: this.#stopping.signal })
  }

  #attemptRepeatedly(intervalMs: number, act: () => Promise<unknown>): void {
    const { clock } = this.#options
    if (!this.#stopping.signal.aborted) this.#stopRepeating.push(repeat(clock, intervalMs, () => this.#attempt(act)))
  }

  #stopTimers(): void {
    this.#stopping.abort()
    for (const stop of this.#stopRepeating) stop()
  }

  /** For work without a caller that waits. A change that could not be recorded is tried again later. */
  async #attempt(act: () => Promise<unknown>): Promise<void> {
    if (this.#isClosed) return
    try {
      await act()
    } catch (error) {
      const { log } = this.#options
      if (!(error instanceof StoreFullError)) log.error({ err: error }, 'the webhook bridge failed: a bug of the agent')
      else this.#fullLog.warn({ cause: error.code, cure: cures.freeSpace() }, 'nothing can be recorded about orders')
    }
  }
}
