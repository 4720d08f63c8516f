import { deliveryFailure, deliveryFailureReport } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { PlatformCall } from '../call/call.ts'
import type { OrderBook } from './order-book.ts'
import { noteTemporary, putOff, settle, withdrawTemporary } from './order-changes.ts'

export interface OrderReportsOptions {
  readonly book: OrderBook
  /** Called when the platform got an observation with a report about a transaction. */
  readonly onObserved: (itemRef: string, observedQuantity: number) => Promise<void>
}

/** Learns from calls what becomes of orders: those of the game server, and the agent's own reports. */
export class OrderReports implements CallReports {
  readonly #options: OrderReportsOptions
  /** Reports of `TEMPORARY` under way that are the first of their order. */
  readonly #firstTemporary = new WeakSet<PlatformCall>()

  constructor(options: OrderReportsOptions) {
    this.#options = options
  }

  /**
   * A call is about to leave. A `TEMPORARY` report is noted before its first byte: the platform may accept it without
   * the agent learning of it, and the next order must then count as a new one.
   *
   * @throws {StoreFullError} The report must not leave.
   */
  async begin(call: PlatformCall): Promise<void> {
    const { transactionId, reason } = call.input
    if (call.operation.reports !== 'failure' || reason !== 'TEMPORARY') return
    if (await this.#options.book.change(Number(transactionId), noteTemporary)) this.#firstTemporary.add(call)
  }

  /** The answer stands whatever is thrown here: asking the platform brings the ledger up to date. */
  async end(call: PlatformCall, answer: CallAnswer): Promise<void> {
    const { book } = this.#options
    const { operation, input } = call
    const transactionId = Number(input['transactionId'])
    if (!answer.ok) {
      if (!answer.uncertain && this.#firstTemporary.has(call)) await book.change(transactionId, withdrawTemporary)
      return
    }
    switch (operation.reports) {
      case 'stock':
        return book.ledger.observe(String(input['itemRef']), Number(input['observedQuantity']))
      case 'delivery':
        return void (await book.change(transactionId, settle('DELIVERED')))
      case 'failure':
        return this.#endFailure(input, answer.dataText)
    }
  }

  async #endFailure(input: PlatformCall['input'], dataText: string): Promise<void> {
    const { book, onObserved } = this.#options
    const { transactionId, reason, observedQuantity } = deliveryFailure.parse(input)
    const order = await book.ledger.find(transactionId)
    if (!order) return
    // First, because a webhook that waits is answered with it as soon as the order is settled.
    await book.ledger.observe(order.itemRef, observedQuantity)
    await onObserved(order.itemRef, observedQuantity)
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
