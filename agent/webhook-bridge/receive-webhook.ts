import type { EnvelopeError, EnvelopeStep, ReceivedEnvelope } from '../../contract/envelope/open.ts'
import {
  eventProblem,
  notTakenYet,
  readEvent,
  type TransactionTerminal,
  type TransferOrder,
  type WebhookEvent,
} from '../../contract/events.ts'
import { decodeUtf8 } from '../../contract/strict-json.ts'
import type { OpenWebhook } from '../call/open-webhook.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { cures } from '../language/cures.ts'
import { orderName } from '../orders/message.ts'
import type { Order } from '../orders/order.ts'
import { awaitsReply } from '../orders/order-moves.ts'
import type { Orders } from '../orders/orders.ts'
import { judgeEnd, judgeOrder, type Verdict } from '../orders/platform-word.ts'

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
  /** The platform could not be asked about it. */
  | 'not-confirmed'
  /** The ledger could not record it. */
  | 'not-recorded'
  /** The platform does not know the transaction under our key, or shows another one. */
  | 'not-ours'
  /** The envelope does not hold. */
  | 'refused'
  /** The envelope holds, and the body is no event of the interface. */
  | 'not-an-event'

/** What is answered to the platform. */
export interface WebhookAnswer {
  readonly status: 200 | 400 | 401 | 404 | 503
  readonly body: Readonly<Record<string, unknown>>
  readonly result: WebhookResult
  readonly event: WebhookEvent | null
  readonly transactionId: number | null
  /** The order that a 2xx acknowledges. */
  readonly acknowledged: Order | null
  /** Why it was refused, and what a person can do. */
  readonly reason?: string
  readonly cure?: string
}

export interface ReceiveDeps {
  readonly orders: Pick<Orders, 'book' | 'handOver' | 'word' | 'onFull'>
  readonly openWebhook: OpenWebhook
}

/** The platform waits for 10 s. */
const webhookWaitMs = 9_000
const nothing = { event: null, transactionId: null, acknowledged: null }

/**
 * One webhook: verified over its raw bytes, made durable, asked about at the platform, handed to the game server, and only
 * then acknowledged. A 2xx is final for the platform. So an order gets one when the game server has it, and an end when
 * the ledger has it.
 */
export async function receiveWebhook(
  received: ReceivedEnvelope,
  { orders, openWebhook }: ReceiveDeps,
): Promise<WebhookAnswer> {
  const opening = await openWebhook.open(received)
  if (!opening.ok) return { ...nothing, ...refusalOfEnvelope(opening) }
  const text = decodeUtf8(received.body)
  const event = text === undefined ? undefined : readEvent(text)
  if (text === undefined || !event) {
    const reason = text === undefined ? 'the body is not UTF-8' : eventProblem(text)
    const cure = cures.tellStaffOfEvent()
    return { ...nothing, status: 400, body: { message: reason }, result: 'not-an-event', reason, cure }
  }
  const about = { event: event.event, transactionId: event.transactionId, acknowledged: null }
  try {
    const answer =
      event.event === 'transfer_order' ? await receiveOrder(event, text, orders) : await receiveEnd(event, text, orders)
    return { ...about, ...answer }
  } catch (error) {
    if (!(error instanceof StoreFullError)) throw error
    orders.onFull(error)
    return {
      ...{ ...about, status: 503, body: { message: 'the agent cannot record the event now' }, result: 'not-recorded' },
      ...{ reason: `nothing can be recorded (${error.code})`, cure: cures.freeSpace() },
    }
  }
}

type EventAnswer = Pick<WebhookAnswer, 'status' | 'body' | 'result'> & Partial<WebhookAnswer>

/** What is answered to an envelope that is refused. */
export function refusalOfEnvelope({ step, expected, received }: EnvelopeError): EventAnswer {
  const reason = `${step}: expected ${expected}, received ${received}`
  const body = { message: `the signature does not hold: ${step}` }
  return { status: 401, body, result: 'refused', reason, cure: cureOfEnvelope(step) }
}

function cureOfEnvelope(step: EnvelopeStep): string {
  if (step === 'kid') return cures.addPlatformKey()
  if (step === 'signature') return cures.checkPlatformKey()
  return step === 'expiry' ? cures.checkClockOfHost() : cures.ignoreEnvelope()
}

async function receiveOrder(event: TransferOrder, text: string, orders: ReceiveDeps['orders']): Promise<EventAnswer> {
  const { book, handOver } = orders
  const { transactionId } = event
  const received = (await book.receiveOrder(event, text)) ?? (await replaceOrder(event, text, orders))
  if ('status' in received) return received
  if (!awaitsReply(received.phase)) return acknowledge(received, 'taken-before', orders)
  handOver.hasten(transactionId)
  await handOver.settled(orderName(transactionId, received.generation), webhookWaitMs)
  const order = await book.ledger.find(transactionId)
  if (!order) return notOurs('the platform does not know its transaction under our key')
  const { phase, generation, result } = order
  // TEMPORARY of the game server's own call does not say that the order is stored.
  const isStored = phase === 'taken' || phase === 'reporting' || phase === 'closed' || result !== null
  if (isStored && generation >= received.generation) return acknowledge(order, 'taken', orders)
  return phase === 'received' ? notConfirmed : { ...notTakenYet, result: notTakenYet.body.result }
}

/** An order under the number of another one. The ledger keeps the other one unless the platform waits for this. */
async function replaceOrder(
  event: TransferOrder,
  text: string,
  orders: ReceiveDeps['orders'],
): Promise<Order | EventAnswer> {
  const { book, handOver } = orders
  const askedMs = handOver.nowMs()
  const verdict = judgeOrder(await orders.word(event.transactionId), event)
  if (verdict.kind === 'awaited') {
    const order = await book.replaceOrder(event, text)
    await book.prove(order)
    handOver.prove(event.transactionId, askedMs)
    return order
  }
  if (verdict.kind === 'over') return { status: 200, body: await observedOf(event.itemRef, orders), result: 'over' }
  return refusalOf(verdict)
}

async function receiveEnd(
  event: TransactionTerminal,
  text: string,
  orders: ReceiveDeps['orders'],
): Promise<EventAnswer> {
  const verdict = judgeEnd(await orders.word(event.transactionId), event)
  if (verdict !== 'confirmed') return refusalOf(verdict)
  await orders.book.receiveEnd(event, text)
  return { status: 200, body: {}, result: 'recorded' }
}

function refusalOf(verdict: Exclude<Verdict, { kind: 'awaited' | 'over' }>): EventAnswer {
  if (verdict.kind === 'unknown') return notOurs('the platform does not know its transaction under our key')
  if (verdict.kind === 'contradicted') return notOurs(`the platform shows another ${verdict.field}`)
  return notConfirmed
}

const notConfirmed: EventAnswer = {
  status: 503,
  body: { message: 'the platform has not confirmed the event yet' },
  result: 'not-confirmed',
}

function notOurs(reason: string): EventAnswer {
  const cure = cures.checkWhoseOrder()
  return { status: 404, body: { message: reason }, result: 'not-ours', reason, cure }
}

/** The newest observation of an item. There may be none of an order that ended before it was taken. */
async function observedOf(itemRef: string, { book }: ReceiveDeps['orders']): Promise<WebhookAnswer['body']> {
  const observedQuantity = await book.ledger.observationOf(itemRef)
  return observedQuantity === null ? {} : { observedQuantity }
}

async function acknowledge(order: Order, result: WebhookResult, orders: ReceiveDeps['orders']): Promise<EventAnswer> {
  const body = await observedOf(order.itemRef, orders)
  return { status: 200, body, result: order.phase === 'closed' ? 'over' : result, acknowledged: order }
}
