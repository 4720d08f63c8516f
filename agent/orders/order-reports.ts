import { deliveryFailure, deliveryFailureReport } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { PlatformCall } from '../call/call.ts'
import type { EndReport, KnownObservations } from '../call/observations.ts'
import type { Clock } from '../clock/clock.ts'
import { observeNewest } from './observe-newest.ts'
import type { OrderBook } from './order-book.ts'
import { noteTemporary, putOff, settle, withdrawTemporary } from './order-changes.ts'

/** Learns about the observations that reach the platform with a report about a transaction, or with the answer to an order. */
export interface OrderObservations extends Pick<KnownObservations, 'expectReport'> {
  observe(itemRef: string, observedQuantity: number): Promise<void>
  /** An observation that is older by then may reach the platform until this monotonic time. */
  expectLate(itemRef: string, lateUntilMs: number): Promise<void>
}

export interface OrderReportsOptions {
  readonly book: OrderBook
  readonly observations: OrderObservations
  readonly clock: Clock
}

/** What was known about an item when a report of a failure began to wait for its turn. */
interface ItemBefore {
  readonly itemRef: string
  /** Of its newest observation. That may be as large as the one before. */
  readonly version: string
  /** Undefined until the report leaves. */
  readonly endReport?: EndReport
}

/** Learns the results of orders from calls: those of the game server, and the agent's own reports. */
export class OrderReports implements CallReports {
  readonly #options: OrderReportsOptions
  /** Reports of `TEMPORARY` under way that are the first of their order. */
  readonly #firstTemporary = new WeakSet<PlatformCall>()
  /** Stocks under way, and when a power cut can no longer take them back. The game server does not say them again. */
  readonly #observed = new WeakMap<PlatformCall, Promise<void>>()
  readonly #itemBefore = new WeakMap<PlatformCall, ItemBefore>()

  constructor(options: OrderReportsOptions) {
    this.#options = options
  }

  /** A report of a failure says the stock of this moment. A newer one may be noted while it waits for its turn. */
  async join(call: PlatformCall): Promise<void> {
    if (call.operation.reports !== 'failure') return
    const { ledger } = this.#options.book
    const itemRef = (await ledger.find(Number(call.input['transactionId'])))?.itemRef
    if (itemRef !== undefined)
      this.#itemBefore.set(call, { itemRef, version: await ledger.observationVersionOf(itemRef) })
  }

  /**
   * A call is about to leave. A stock is the newest observation from now on, whatever the platform says: it is what the
   * game server has. A `TEMPORARY` report is noted before its first byte: the platform may accept it although the agent
   * gets no answer, and the next order must then count as a new one.
   *
   * @throws {StoreFullError} The call must not leave.
   * @throws {StoreUnreachableError} The same.
   */
  async begin(call: PlatformCall, lateUntilMs: number): Promise<void> {
    const { book, observations } = this.#options
    const { operation, input } = call
    if (operation.reports === 'stock') {
      const { durable } = await book.ledger.observe(String(input['itemRef']), Number(input['observedQuantity']))
      // `end` waits for it. If it fails, the agent stops, even if `end` is never called.
      durable.catch(() => undefined)
      this.#observed.set(call, durable)
    }
    if (operation.reports !== 'failure') return
    const transactionId = Number(call.input['transactionId'])
    const joined = this.#itemBefore.get(call)
    if (joined)
      this.#itemBefore.set(call, {
        ...joined,
        endReport: await observations.expectReport(joined.itemRef, lateUntilMs),
      })
    if (call.input['reason'] !== 'TEMPORARY') return
    try {
      if (await book.change(transactionId, noteTemporary)) this.#firstTemporary.add(call)
    } catch (error) {
      await this.#itemBefore.get(call)?.endReport?.(0)
      throw error
    }
  }

  /** The answer does not change, whatever is thrown here: asking the platform brings the ledger up to date. */
  async end(call: PlatformCall, answer: CallAnswer, lateUntilMs: number): Promise<void> {
    const { book } = this.#options
    const { operation, input } = call
    await this.#observed.get(call)
    const transactionId = Number(input['transactionId'])
    const before = this.#itemBefore.get(call)
    const isStale = before !== undefined && (await this.#repairStale(before, answer.ok, lateUntilMs))
    if (!answer.ok) {
      if (!answer.uncertain && this.#firstTemporary.has(call)) await book.change(transactionId, withdrawTemporary)
      return
    }
    if (operation.reports === 'delivery') return void (await book.change(transactionId, settle('DELIVERED')))
    if (operation.reports === 'failure') await this.#endFailure(input, answer.dataText, isStale ? undefined : before)
  }

  /**
   * A newer stock may have been noted while a report was under way. The report may reach the platform after it, so the newer
   * one is sent again.
   *
   * @returns Whether there is a newer one.
   */
  async #repairStale(
    { itemRef, version, endReport }: ItemBefore,
    isAccepted: boolean,
    lateUntilMs: number,
  ): Promise<boolean> {
    const { book, observations, clock } = this.#options
    await endReport?.(lateUntilMs)
    const hasNewer = (await book.ledger.observationVersionOf(itemRef)) !== version
    const newest = await book.ledger.observationOf(itemRef)
    const isStale = hasNewer && newest !== null
    if (lateUntilMs === 0 && isStale && isAccepted) await observations.expectLate(itemRef, clock.monotonicMs() + 1)
    if (isStale) await observeNewest(observations, book.ledger, itemRef, newest)
    return isStale
  }

  /** @param before Of the item; undefined if something newer is known about it than the report says. */
  async #endFailure(input: PlatformCall['input'], dataText: string, before: ItemBefore | undefined): Promise<void> {
    const { book, observations } = this.#options
    const { transactionId, reason, observedQuantity } = deliveryFailure.parse(input)
    if (before) {
      // First, because a webhook that waits is answered with it as soon as the order is settled.
      await book.ledger.observe(before.itemRef, observedQuantity)
      await observations.observe(before.itemRef, observedQuantity)
    }
    const change = reason === 'OUT_OF_STOCK' ? settle(reason, observedQuantity) : putOff(retryAtMsOf(dataText))
    await book.change(transactionId, change)
  }
}

/** When the platform sends the order again after `TEMPORARY`, Unix ms; null where its answer does not say. */
export function retryAtMsOf(dataText: string): number | null {
  const report = deliveryFailureReport.safeParse(JSON.parse(dataText))
  const retryAtMs = report.success ? Date.parse(report.data.retryAt ?? '') : Number.NaN
  return Number.isNaN(retryAtMs) ? null : retryAtMs
}
