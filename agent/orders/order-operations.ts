import type { OrdersOperation } from '../../contract/operations.ts'
import { type OrderReply, orderReplyOf } from '../../contract/order-reply.ts'
import { type CallAnswer, refuse } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Clock } from '../clock/clock.ts'
import { windowClock } from '../clock/window-clock.ts'
import { StoreFullError } from '../database/store-errors.ts'
import type { Log } from '../log/log.ts'
import { describeClosedOrder, describeOrder } from './describe-order.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { awaitsReply } from './order-moves.ts'
import type { OrderPath } from './order-path.ts'
import type { Questions } from './questions.ts'
import { recordReply } from './record-reply.ts'

const closedShownMs = 24 * 3_600_000
const closedShownMax = 100
/** This is how long a game server that asks for its orders waits for the platform. */
const proofWaitMs = 2_000

export interface OrderOperationsOptions {
  readonly book: OrderBook
  readonly path: Pick<OrderPath, 'isProven'>
  readonly questions: Pick<Questions, 'ask'>
  /** Whether orders may be handed over. Another agent may do that where this one has no lease. */
  readonly mayBegin: () => boolean
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** Answers `orders.open` and `orders.take` from the ledger. No answer is stored under an id. */
export function orderOperations({ book, path, questions, mayBegin, clock, log }: OrderOperationsOptions) {
  const nowMs = windowClock(clock, closedShownMs)
  const isProven = ({ phase, transactionId }: Order) =>
    awaitsReply(phase) ? phase === 'offered' && path.isProven(transactionId) : true

  async function list(input: Call['input']): Promise<CallAnswer> {
    const stale = (await book.ledger.findOpen()).filter((order) => !isProven(order))
    // Another agent may hand an order over: its path is not here.
    const awaited = new Set<number>()
    const ask = async (order: Order) => {
      if ((await questions.ask(order)).kind === 'awaited') awaited.add(order.transactionId)
    }
    if (stale.length > 0) {
      const { promise: isLate, resolve } = Promise.withResolvers<void>()
      const cancel = clock.after(proofWaitMs, resolve)
      await Promise.race([Promise.all(stale.map(ask)), isLate]).finally(cancel)
    }
    const isAwaited = ({ phase, transactionId }: Order) => phase === 'offered' && awaited.has(transactionId)
    const mayBeHandedOver = (order: Order) => mayBegin() || !awaitsReply(order.phase)
    return listOf((order) => mayBeHandedOver(order) && (isProven(order) || isAwaited(order)), input)
  }

  /** Nothing is waited for after it is decided which orders are shown: the platform's word gets old. */
  async function listOf(
    isShown: (order: Order) => boolean,
    { closedSince, limit }: Call['input'],
  ): Promise<CallAnswer> {
    const sinceMs = closedSince === undefined ? nowMs() - closedShownMs : Date.parse(String(closedSince))
    const max = limit === undefined ? closedShownMax : Number(limit)
    const closed = await book.ledger.findOverSince(sinceMs, max + 1)
    const open = await book.ledger.findOpen()
    return success({
      orders: open.filter(isShown).map(describeOrder),
      closed: closed.slice(0, max).map(describeClosedOrder),
      more: closed.length > max,
    })
  }

  async function take(input: Call['input']): Promise<CallAnswer> {
    try {
      const replied = await recordReply(book, log, Number(input['transactionId']), orderReplyOf(input) as OrderReply)
      if (replied === 'unknown') return refuse('ORDER_UNKNOWN')
      if (replied === 'closed') return refuse('ORDER_CLOSED')
      return replied === 'contradicts' ? refuse('ORDER_RESULT_DIFFERS') : success(describeOrder(replied))
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      return refuse('ORDER_NOT_STORED')
    }
  }

  const answers = { list, take } as const satisfies Record<OrdersOperation['does'], unknown>
  return {
    answer: (call: Call<OrdersOperation>): Promise<CallAnswer> => answers[call.operation.does](call.input),
    /** As `orders.open`, with every open order and without a question to the platform. */
    listAll: (): Promise<CallAnswer> => listOf(() => true, {}),
    /** The open orders of every world that shares the store, each with its world. */
    async listAllWorlds(): Promise<CallAnswer> {
      const open = await book.ledger.findOpenInWorlds()
      return success({ orders: open.map(({ world, order }) => ({ world, ...describeOrder(order) })) })
    },
  }
}

function success(data: object): CallAnswer {
  return { ok: true, dataText: JSON.stringify(data) }
}
