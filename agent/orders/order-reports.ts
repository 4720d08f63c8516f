import { deliveryFailure, deliveryFailureReport } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { PlatformCall } from '../call/call.ts'
import type { Log } from '../log/log.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'

/** Learns from the game server's calls what becomes of its orders. */
export class OrderReports implements CallReports {
  readonly #book: OrderBook
  readonly #log: Log

  constructor(book: OrderBook, log: Log) {
    this.#book = book
    this.#log = log
  }

  /**
   * A call is about to leave. A `TEMPORARY` report is noted before its first byte: the platform may accept it without
   * the agent learning of it, and the next order must then count as a new one.
   *
   * @throws {StoreFullError} The report must not leave.
   */
  async begin({ operation, input }: PlatformCall): Promise<void> {
    if (operation.reports !== 'failure') return
    const { transactionId, reason, observedQuantity } = deliveryFailure.parse(input)
    if (reason === 'TEMPORARY') await this.#book.putOff(transactionId)
    else this.#warnOfContradiction(await this.#book.find(transactionId), observedQuantity)
  }

  /** The answer stands whatever is thrown here: asking the platform brings the ledger up to date. */
  async end({ operation, input }: PlatformCall, answer: CallAnswer): Promise<void> {
    if (!answer.ok) return
    switch (operation.reports) {
      case 'stock':
        return this.#book.observe(String(input['itemRef']), Number(input['observedQuantity']))
      case 'delivery':
        return void (await this.#book.settle(Number(input['transactionId']), 'delivered'))
      case 'failure':
        return this.#endFailure(input, answer.dataText)
    }
  }

  async #endFailure(input: PlatformCall['input'], dataText: string): Promise<void> {
    const { transactionId, reason, observedQuantity } = deliveryFailure.parse(input)
    const order = await this.#book.find(transactionId)
    // First, because a webhook that waits is answered with it as soon as the order is settled.
    if (order) await this.#book.observeReported(order, observedQuantity)
    if (reason === 'OUT_OF_STOCK') {
      await this.#book.settle(transactionId, 'out of stock')
    } else {
      const report = deliveryFailureReport.safeParse(JSON.parse(dataText))
      const retryAtMs = report.success ? Date.parse(report.data.retryAt ?? '') : Number.NaN
      if (!Number.isNaN(retryAtMs)) await this.#book.setRetryAt(transactionId, retryAtMs)
    }
  }

  #warnOfContradiction(order: Order | undefined, observedQuantity: number): void {
    const ordered = order?.orderText ? (JSON.parse(order.orderText) as { quantity: number }).quantity : undefined
    if (order === undefined || ordered === undefined || observedQuantity < ordered) return
    const { transactionId, itemRef } = order
    const cure = 'report TEMPORARY where the item exists and cannot be handed over now; a refund cannot be undone'
    this.#log.warn(
      { transactionId, itemRef, ordered, observedQuantity, cure },
      'OUT_OF_STOCK is reported together with a stock that covers the order',
    )
  }
}
