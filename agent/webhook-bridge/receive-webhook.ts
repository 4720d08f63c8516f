import type { ReceivedEnvelope } from '../../contract/envelope/open.ts'
import { notTakenYet, readEvent, type TransferOrder, type WebhookEvent } from '../../contract/events.ts'
import { decodeUtf8 } from '../../contract/strict-json.ts'
import type { OpenWebhook } from '../call/open-webhook.ts'
import { StoreFullError } from '../database/store-errors.ts'
import type { Order } from '../orders/order.ts'
import type { Orders } from '../orders/orders.ts'

/** How a webhook ended, for the log. */
export type WebhookResult =
  /** The game server took the order while the platform waited. */
  | 'taken'
  /** The game server took it before, and an earlier 2xx may have been lost. */
  | 'taken-before'
  /** The order is over. */
  | 'over'
  /** The end of a transaction is in the ledger. */
  | 'recorded'
  /** The game server did not take the order in time. */
  | 'not-taken'
  /** The ledger could not record it. */
  | 'not-recorded'
  /** The envelope does not hold. */
  | 'refused'
  /** The envelope holds, and the body is no event of the interface. */
  | 'not-an-event'

/** What is answered to the platform. */
export interface WebhookAnswer {
  readonly status: 200 | 400 | 401 | 503
  readonly body: Readonly<Record<string, unknown>>
  readonly result: WebhookResult
  readonly event: WebhookEvent | null
  readonly transactionId: number | null
  /** The order that a 2xx acknowledges. */
  readonly acknowledged: Order | null
}

export interface ReceiveDeps {
  readonly orders: Pick<Orders, 'book' | 'waiters' | 'hasten'>
  readonly openWebhook: OpenWebhook
}

const nothing = { event: null, transactionId: null, acknowledged: null }

/**
 * One webhook: verified over its raw bytes, made durable, handed to the game server, and only then acknowledged. A 2xx
 * is final for the platform. So an order gets one when the game server has it, and an end when the ledger has it.
 */
export async function receiveWebhook(
  received: ReceivedEnvelope,
  { orders, openWebhook }: ReceiveDeps,
): Promise<WebhookAnswer> {
  const opening = await openWebhook(received)
  if (!opening.ok) {
    const message = `the signature does not hold: ${opening.step}`
    return { ...nothing, status: 401, body: { message }, result: 'refused' }
  }
  const text = decodeUtf8(received.body)
  const event = text === undefined ? undefined : readEvent(text)
  if (text === undefined || !event) {
    const message = 'the body is not an event of the interface'
    return { ...nothing, status: 400, body: { message }, result: 'not-an-event' }
  }
  const about = { event: event.event, transactionId: event.transactionId, acknowledged: null }
  try {
    if (event.event === 'transfer_order') return { ...about, ...(await receiveOrder(event, text, orders)) }
    await orders.book.receiveEnd(event, text)
    return { ...about, status: 200, body: {}, result: 'recorded' }
  } catch (error) {
    if (!(error instanceof StoreFullError)) throw error
    return { ...about, status: 503, body: { message: 'the agent cannot record the event now' }, result: 'not-recorded' }
  }
}

type OrderAnswer = Pick<WebhookAnswer, 'status' | 'body' | 'result'> & Partial<WebhookAnswer>

async function receiveOrder(event: TransferOrder, text: string, orders: ReceiveDeps['orders']): Promise<OrderAnswer> {
  // From now on, so that nothing is missed that happens while the order is being recorded.
  using waiter = orders.waiters.open(event.transactionId)
  const order = await orders.book.receiveOrder(event, text)
  if (order.phase !== 'offered') return acknowledge(order, 'taken-before')
  orders.hasten(event.transactionId)
  const taken = await waiter.taken(order.generation)
  if (taken) return acknowledge(taken, 'taken')
  return { ...notTakenYet, result: notTakenYet.body.result }
}

/** An order that ended before it was taken has no observation. The platform does not deliver it again. */
function acknowledge(order: Order, result: WebhookResult): OrderAnswer {
  const { phase, observedQuantity } = order
  const body = observedQuantity === null ? {} : { observedQuantity }
  return { status: 200, body, result: phase === 'closed' ? 'over' : result, acknowledged: order }
}
