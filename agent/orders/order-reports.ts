import { deliveryFailure, deliveryFailureReport } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { PlatformCall } from '../call/call.ts'
import type { EndReport, KnownObservations } from '../call/observations.ts'
import { observeNewest } from './observe-newest.ts'
import type { OrderBook } from './order-book.ts'
import { noteTemporary, putOff, settle, withdrawTemporary } from './order-changes.ts'

/** Learns about the observations that reach the platform with a report about a transaction, or with the answer to an order. */
export interface OrderObservations extends Pick<KnownObservations, 'expectReport'> {
  observe(itemRef: string, observedQuantity: number): Promise<void>
  /** The platform has an older observation in the place of this one. */
  noteOverwritten(itemRef: string, newestQuantity: number): Promise<void>
}

export interface OrderReportsOptions {
  readonly book: OrderBook
  readonly observations: OrderObservations
}

/** The item of a report of a failure. */
interface ReportedItem {
  readonly itemRef: string
  /** Of the newest observation when the report began to wait for its turn. */
  readonly mark: number
  readonly endReport: EndReport
}

/** What is noted about a call with a stock. */
type Noted =
  /** A failure waits for its turn. */
  | { readonly at: 'joined'; readonly mark: Promise<number> }
  /** A failure has left. `isFirstTemporary`: it is the first `TEMPORARY` report of its order. */
  | { readonly at: 'reporting'; readonly item: ReportedItem | undefined; readonly isFirstTemporary: boolean }
  /** A stock has left, and `durable` resolves when a power cut cannot take it back. The game server does not say it again. */
  | { readonly at: 'observed'; readonly durable: Promise<void> }

/** Learns the results of orders from calls: those of the game server, and the agent's own reports. */
export class OrderReports implements CallReports {
  readonly #options: OrderReportsOptions
  readonly #noted = new WeakMap<PlatformCall, Noted>()

  constructor(options: OrderReportsOptions) {
    this.#options = options
  }

  /** A report of a failure says the stock of this moment. A newer one may be noted while it waits for its turn. */
  join(call: PlatformCall, mark?: number): void {
    if (call.operation.reports !== 'failure') return
    const joined = mark === undefined ? this.#options.book.ledger.newestMark() : Promise.resolve(mark)
    // `begin` waits for it, if the call ever leaves.
    joined.catch(() => undefined)
    this.#noted.set(call, { at: 'joined', mark: joined })
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
    const { book } = this.#options
    const { operation, input } = call
    if (operation.reports === 'stock') {
      const { durable } = await book.ledger.observe(String(input['itemRef']), Number(input['observedQuantity']))
      // `end` waits for it. If it fails, the agent stops, even if `end` is never called.
      durable.catch(() => undefined)
      this.#noted.set(call, { at: 'observed', durable })
    }
    if (operation.reports !== 'failure') return
    const transactionId = Number(input['transactionId'])
    const item = await this.#expectReport(call, transactionId, lateUntilMs)
    try {
      const isTemporary = input['reason'] === 'TEMPORARY'
      const isFirstTemporary = isTemporary && (await book.change(transactionId, noteTemporary)) !== undefined
      this.#noted.set(call, { at: 'reporting', item, isFirstTemporary })
    } catch (error) {
      await item?.endReport(0)
      throw error
    }
  }

  /** The answer does not change, whatever is thrown here: asking the platform brings the ledger up to date. */
  async end(call: PlatformCall, answer: CallAnswer, lateUntilMs: number): Promise<void> {
    const { book } = this.#options
    const { operation, input } = call
    const noted = this.#noted.get(call)
    if (noted?.at === 'observed') await noted.durable
    const transactionId = Number(input['transactionId'])
    if (operation.reports === 'delivery' && answer.ok) await book.change(transactionId, settle('DELIVERED'))
    if (noted?.at !== 'reporting') return
    const { reason, observedQuantity } = deliveryFailure.parse(input)
    // First, because a webhook that waits is answered with it as soon as the order is settled.
    if (noted.item) await this.#endReport(noted.item, answer.ok ? observedQuantity : undefined, lateUntilMs)
    if (answer.ok)
      await book.change(
        transactionId,
        reason === 'OUT_OF_STOCK' ? settle(reason, observedQuantity) : putOff(retryAtMsOf(answer.dataText)),
      )
    else if (!answer.uncertain && noted.isFirstTemporary) await book.change(transactionId, withdrawTemporary)
  }

  async #expectReport(
    call: PlatformCall,
    transactionId: number,
    lateUntilMs: number,
  ): Promise<ReportedItem | undefined> {
    const { book, observations } = this.#options
    const joined = this.#noted.get(call)
    const mark = await (joined?.at === 'joined' ? joined.mark : book.ledger.newestMark())
    const itemRef = (await book.ledger.find(transactionId))?.itemRef
    if (itemRef === undefined) return undefined
    return { itemRef, mark, endReport: await observations.expectReport(itemRef, lateUntilMs) }
  }

  /**
   * A newer stock may have been noted while a report waited or was under way. The report may reach the platform after it, so
   * the newer one is sent again.
   *
   * @param accepted The stock that the platform has accepted with the report.
   */
  async #endReport(
    { itemRef, mark, endReport }: ReportedItem,
    accepted: number | undefined,
    lateUntilMs: number,
  ): Promise<void> {
    const { ledger } = this.#options.book
    const { observations } = this.#options
    await endReport(lateUntilMs)
    if (accepted !== undefined && (await ledger.observe(itemRef, accepted, mark)).isNoted)
      return observations.observe(itemRef, accepted)
    const newest = await ledger.observationOf(itemRef)
    if (newest === null || newest.mark <= mark) return
    if (accepted !== undefined && lateUntilMs === 0) await observations.noteOverwritten(itemRef, newest.quantity)
    await observeNewest(observations, ledger, itemRef, newest)
  }
}

/** When the platform sends the order again after `TEMPORARY`, Unix ms; null where its answer does not say. */
export function retryAtMsOf(dataText: string): number | null {
  const report = deliveryFailureReport.safeParse(JSON.parse(dataText))
  const retryAtMs = report.success ? Date.parse(report.data.retryAt ?? '') : Number.NaN
  return Number.isNaN(retryAtMs) ? null : retryAtMs
}
