import type { OrdersOperation } from '../../contract/operations.ts'
import { type CallAnswer, refuse } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Clock } from '../clock/clock.ts'
import { windowClock } from '../clock/window-clock.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { describeClosedOrder, describeOrder } from './describe-order.ts'
import type { OrderBook } from './order-book.ts'

const closedShownMs = 24 * 3_600_000

/** Answers `orders.open` and `orders.take` from the ledger. Nothing is sent, and no answer is stored under an id. */
export function orderOperations(book: OrderBook, clock: Clock) {
  const nowMs = windowClock(clock, closedShownMs)

  async function list(): Promise<CallAnswer> {
    const orders = (await book.findOpen()).map(describeOrder)
    const closed = (await book.findClosedSince(nowMs() - closedShownMs)).map(describeClosedOrder)
    return success({ orders, closed })
  }

  async function take({ transactionId, observedQuantity }: Call['input']): Promise<CallAnswer> {
    try {
      const order = await book.take(Number(transactionId), Number(observedQuantity))
      if (!order) return refuse('ORDER_UNKNOWN')
      const described = describeOrder(order)
      return described.state === 'closed' ? refuse('ORDER_CLOSED') : success(described)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      return refuse('ORDER_NOT_STORED')
    }
  }

  const answers = { list, take } as const satisfies Record<OrdersOperation['does'], unknown>
  return (call: Call<OrdersOperation>): Promise<CallAnswer> => answers[call.operation.does](call.input)
}

function success(data: object): CallAnswer {
  return { ok: true, dataText: JSON.stringify(data) }
}
