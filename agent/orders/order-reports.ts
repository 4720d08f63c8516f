import { deliveryFailure } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { PlatformCall } from '../call/call.ts'
import type { Log } from '../log/log.ts'
import type { OrderBook } from './order-book.ts'
import { retryAtMsOf } from './report-fate.ts'
import { warnOfStock } from './warn-of-stock.ts'

/** Learns from the game server's own calls what becomes of its orders. */
export class OrderReports implements CallReports {
  readonly #book: OrderBook
  readonly #log: Pick<Log, 'warn'>
  /** Reports of `TEMPORARY` under way that are the first of their order. */
  readonly #firstTemporary = new WeakSet<PlatformCall>()

  constructor(book: OrderBook, log: Pick<Log, 'warn'>) {
    this.#book = book
    this.#log = log
  }

  /**
   * A call is about to leave. A `TEMPORARY` report is noted before its first byte: the platform may accept it without
   * the agent learning of it, and the next order must then count as a new one.
   *
   * @throws {StoreFullError} The report must not leave.
   */
  async begin(call: PlatformCall): Promise<void> {
    if (call.operation.reports !== 'failure') return
    const { transactionId, reason, observedQuantity } = deliveryFailure.parse(call.input)
    if (reason === 'OUT_OF_STOCK') warnOfStock(await this.#book.ledger.find(transactionId), observedQuantity, this.#log)
    else if (await this.#book.leaveTemporary(transactionId)) this.#firstTemporary.add(call)
  }

  /** The answer stands whatever is thrown here: asking the platform brings the ledger up to date. */
  async end(call: PlatformCall, answer: CallAnswer): Promise<void> {
    const { operation, input } = call
    if (!answer.ok) {
      const isNothing = !answer.uncertain && this.#firstTemporary.has(call)
      if (isNothing) await this.#book.returnTemporary(Number(input['transactionId']))
      return
    }
    switch (operation.reports) {
      case 'stock':
        return this.#book.ledger.observe(String(input['itemRef']), Number(input['observedQuantity']))
      case 'delivery':
        return void (await this.#book.settle(Number(input['transactionId']), 'DELIVERED'))
      case 'failure':
        return this.#endFailure(input, answer.dataText)
    }
  }

  async #endFailure(input: PlatformCall['input'], dataText: string): Promise<void> {
    const { transactionId, reason, observedQuantity } = deliveryFailure.parse(input)
    const order = await this.#book.ledger.find(transactionId)
    // First, because a webhook that waits is answered with it as soon as the order is settled.
    if (order) await this.#book.observeReported(order.itemRef, observedQuantity)
    if (reason === 'OUT_OF_STOCK') return void (await this.#book.settle(transactionId, 'OUT_OF_STOCK'))
    await this.#book.putOff(transactionId, retryAtMsOf(dataText))
  }
}
