import { deliveryFailure, deliveryFailureReport } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { PlatformCall } from '../call/call.ts'
import type { EndReport, KnownObservations } from '../call/observations.ts'
import { noteOrSendAgain, observeNewest } from './observe-newest.ts'
import type { OrderBook } from './order-book.ts'
import { noteTemporary, putOff, settle, withdrawTemporary } from './order-changes.ts'
import type { KnownObservation, Observed } from './order-ledger.ts'

/** Learns about the observations that reach the platform with a report about a transaction, or with the answer to an order. */
export interface OrderObservations extends Pick<KnownObservations, 'expectReport'> {
  observe(itemRef: string, observedQuantity: number): Promise<void>
  /** The platform has an older observation in the place of this one, or of the newest one that a shared store knows. */
  noteOverwritten(itemRef: string, newestQuantity: number): Promise<void>
}

export interface OrderReportsOptions {
  readonly book: OrderBook
  readonly observations: OrderObservations
}

/** The item of a report of a failure, and its stock. */
interface ReportedItem {
  readonly itemRef: string
  readonly observed: KnownObservation
  readonly endReport: EndReport
}

/** What is noted about a call with a stock. */
type Noted =
  /** It waits for its turn. Its stock is as old as the moment when it began to wait. */
  | { readonly at: 'joined'; readonly mark: Promise<number> }
  /** A failure has left. `isFirstTemporary`: it is the first `TEMPORARY` report of its order. */
  | { readonly at: 'reporting'; readonly item: ReportedItem | undefined; readonly isFirstTemporary: boolean }
  /** Only a stock has left. */
  | ({ readonly at: 'observed'; readonly itemRef: string; readonly quantity: number } & Observed)

/** Learns the results of orders from calls: those of the game server, and the agent's own reports. */
export class OrderReports implements CallReports {
  readonly #options: OrderReportsOptions
  readonly #noted = new WeakMap<PlatformCall, Noted>()

  constructor(options: OrderReportsOptions) {
    this.#options = options
  }

  /** A newer stock may be noted while a call with a stock waits for its turn. */
  join(call: PlatformCall, mark?: number): void {
    const { reports } = call.operation
    if (reports !== 'stock' && reports !== 'failure') return
    const joined = mark === undefined ? this.#options.book.ledger.drawMark() : Promise.resolve(mark)
    // `begin` waits for it, if the call ever leaves.
    joined.catch(() => undefined)
    this.#noted.set(call, { at: 'joined', mark: joined })
  }

  /**
   * A call is about to leave. Its stock is noted now, whatever the platform says: it is what the game server has. A `TEMPORARY` report is noted before its first byte: the platform may accept it although the agent
   * gets no answer, and the next order must then count as a new one.
   *
   * @throws {StoreFullError} The call must not leave.
   * @throws {StoreUnreachableError} The same.
   */
  async begin(call: PlatformCall, lateUntilMs: number): Promise<void> {
    const { book } = this.#options
    const { operation, input } = call
    if (operation.reports === 'stock') {
      const itemRef = String(input['itemRef'])
      const observation = await this.#observationIn(call)
      const observed = await book.ledger.observe(itemRef, observation)
      // `end` waits for it. If it fails, the agent stops, even if `end` is never called.
      observed.durable.catch(() => undefined)
      this.#noted.set(call, { at: 'observed', itemRef, quantity: observation.quantity, ...observed })
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
    const { book, observations } = this.#options
    const { operation, input } = call
    const noted = this.#noted.get(call)
    if (noted?.at === 'observed') {
      await noted.durable
      const mayHaveActed = answer.ok || answer.uncertain
      if (!noted.isNoted && mayHaveActed)
        await noteOrSendAgain(observations, noted.itemRef, noted.quantity, () => this.#sendNewestAgain(noted.itemRef))
    }
    const transactionId = Number(input['transactionId'])
    if (operation.reports === 'delivery' && answer.ok) await book.change(transactionId, settle('DELIVERED'))
    if (noted?.at !== 'reporting') return
    const { reason, observedQuantity } = deliveryFailure.parse(input)
    // First, because a webhook that waits is answered with it as soon as the order is settled.
    if (noted.item) await this.#endReport(noted.item, answer, lateUntilMs)
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
    const observed = await this.#observationIn(call)
    const itemRef = (await book.ledger.find(transactionId))?.itemRef
    if (itemRef === undefined) return undefined
    return { itemRef, observed, endReport: await observations.expectReport(itemRef, lateUntilMs) }
  }

  async #observationIn(call: PlatformCall): Promise<KnownObservation> {
    const noted = this.#noted.get(call)
    const mark = await (noted?.at === 'joined' ? noted.mark : this.#options.book.ledger.drawMark())
    return { quantity: Number(call.input['observedQuantity']), mark }
  }

  async #endReport(item: ReportedItem, answer: CallAnswer, lateUntilMs: number): Promise<void> {
    const { itemRef, observed } = item
    if (!answer.ok) return this.#endUnaccepted(item, answer.uncertain, lateUntilMs)
    const note = () => this.#endAccepted(item, lateUntilMs)
    return noteOrSendAgain(this.#options.observations, itemRef, observed.quantity, note)
  }

  /** Its stock is noted before the report ends: a call that ends in between finds the one or the other. */
  async #endAccepted({ itemRef, observed, endReport }: ReportedItem, lateUntilMs: number): Promise<void> {
    let isNoted = false
    try {
      isNoted = (await this.#options.book.ledger.observe(itemRef, observed, 'later')).isNoted
    } finally {
      await endReport(lateUntilMs, isNoted ? observed.quantity : undefined)
    }
    if (!isNoted) await this.#sendNewestAgain(itemRef)
  }

  /** A newer stock may have been noted while the report waited or was under way. Else one in doubt is the newest. */
  async #endUnaccepted(
    { itemRef, observed, endReport }: ReportedItem,
    isInDoubt: boolean,
    lateUntilMs: number,
  ): Promise<void> {
    const { book, observations } = this.#options
    let newest: KnownObservation | null = null
    try {
      newest = await book.ledger.observationOf(itemRef)
    } finally {
      const isNewest = newest !== null && newest.mark <= observed.mark
      await endReport(lateUntilMs, isInDoubt && isNewest ? observed.quantity : undefined)
    }
    if (newest === null || newest.mark <= observed.mark) return
    if (isInDoubt) await this.#sendNewestAgain(itemRef, newest)
    else await observeNewest(observations, book.ledger, itemRef, newest)
  }

  /** The platform may have taken an older stock after the newest one. */
  async #sendNewestAgain(itemRef: string, known?: KnownObservation): Promise<void> {
    const { book, observations } = this.#options
    const newest = known ?? (await book.ledger.observationOf(itemRef))
    if (newest === null) return
    await observations.noteOverwritten(itemRef, newest.quantity)
    await observeNewest(observations, book.ledger, itemRef, newest)
  }
}

/** When the platform sends the order again after `TEMPORARY`, Unix ms; null where its answer does not say. */
export function retryAtMsOf(dataText: string): number | null {
  const report = deliveryFailureReport.safeParse(JSON.parse(dataText))
  const retryAtMs = report.success ? Date.parse(report.data.retryAt ?? '') : Number.NaN
  return Number.isNaN(retryAtMs) ? null : retryAtMs
}
