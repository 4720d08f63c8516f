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
import { cureOfStore } from '../database/cure-of-store.ts'
import { isStoreFailure, StoreFullError } from '../database/store-errors.ts'
import { cures } from '../language/cures.ts'
import type { Order } from '../orders/order.ts'
import { receiveOrder, receiveTerminal, replaceOrder } from '../orders/order-changes.ts'
import type { KnownObservation } from '../orders/order-ledger.ts'
import { awaitsReply, isOver } from '../orders/order-moves.ts'
import type { Acknowledged, Orders } from '../orders/orders.ts'
import { judgeOrder, judgeTerminal, type Verdict } from '../orders/platform-word.ts'

/** How a webhook ended, for the log. */
export type WebhookResult =
  /** The game server took the order while the platform waited. */
  | 'taken'
  /** The game server took it before, and an earlier 2xx may have been lost. */
  | 'taken-before'
  /** The order is over. */
  | 'over'
  /** The terminal event is in the ledger. */
  | 'recorded'
  /** The game server did not take the order in time. */
  | 'not-taken'
  /** The platform could not be asked about it. */
  | 'not-confirmed'
  /** The ledger could not record it. */
  | 'not-recorded'
  /** The platform does not know the transaction under our key, or shows another one. */
  | 'not-ours'
  /** The envelope is not valid. */
  | 'refused'
  /** The envelope is valid, and the body is not an event of the interface. */
  | 'not-an-event'

/** What is answered to the platform. */
export interface WebhookAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly result: WebhookResult
  readonly event?: WebhookEvent
  readonly transactionId?: number
  /** What a 2xx acknowledges. */
  readonly acknowledged?: Acknowledged
  /** Why it was refused, and what a person can do. */
  readonly reason?: string
  readonly cure?: string
  /** The methods that are allowed, with 405. */
  readonly allow?: string
}

export interface ReceiveDeps {
  readonly orders: Pick<Orders, 'book' | 'path' | 'questions' | 'beginAcknowledging' | 'endAcknowledging'>
  readonly openWebhook: OpenWebhook
}

/** The platform waits for 10 s. */
const webhookWaitMs = 9_000

/**
 * One webhook: verified over its raw bytes, made durable, asked about at the platform, handed to the game server, and only
 * then acknowledged. A 2xx is final for the platform. So an order gets one when the game server has it, and a terminal
 * event when the ledger has it.
 */
export async function receiveWebhook(received: ReceivedEnvelope, deps: ReceiveDeps): Promise<WebhookAnswer> {
  const opening = await deps.openWebhook.open(received)
  if (!opening.ok) return refusalOfEnvelope(opening)
  const text = decodeUtf8(received.body)
  const event = text === undefined ? undefined : readEvent(text)
  if (text === undefined || !event) {
    const reason = text === undefined ? 'the body is not UTF-8' : eventProblem(text)
    return { status: 400, body: { message: reason }, result: 'not-an-event', reason, cure: cures.tellStaffOfEvent() }
  }
  const about = { event: event.event, transactionId: event.transactionId }
  try {
    return { ...(await answerEvent(event, text, deps.orders)), ...about }
  } catch (error) {
    if (!isStoreFailure(error)) throw error
    const isFull = error instanceof StoreFullError
    return {
      status: 503,
      body: { message: 'the agent cannot record the event now' },
      result: 'not-recorded',
      ...about,
      reason: isFull ? `nothing can be recorded (${error.code})` : 'the store cannot be reached',
      cure: cureOfStore(error),
    }
  }
}

/** What is answered to an envelope that is refused. */
export function refusalOfEnvelope({ step, expected, received }: EnvelopeError): WebhookAnswer {
  const reason = `${step}: expected ${expected}, received ${received}`
  return {
    status: 401,
    body: { message: `the signature is not valid: ${step}` },
    result: 'refused',
    reason,
    cure: cureOfEnvelope(step),
  }
}

function cureOfEnvelope(step: EnvelopeStep): string {
  if (step === 'kid') return cures.addPlatformKey()
  if (step === 'signature') return cures.checkPlatformKey()
  return step === 'expiry' ? cures.checkClockOfHost() : cures.ignoreEnvelope()
}

function answerEvent(event: TransferOrder | TransactionTerminal, text: string, orders: ReceiveDeps['orders']) {
  return event.event === 'transfer_order' ? answerOrder(event, text, orders) : answerTerminal(event, text, orders)
}

async function answerOrder(event: TransferOrder, text: string, orders: ReceiveDeps['orders']): Promise<WebhookAnswer> {
  const { book, path } = orders
  const { transactionId } = event
  const received = (await book.change(transactionId, receiveOrder(event, text))) ?? (await replace(event, text, orders))
  if ('status' in received) return received
  if (!awaitsReply(received.phase)) return acknowledgeKnown(received, 'taken-before', orders)
  await path.settle(received, webhookWaitMs)
  const order = await book.ledger.find(transactionId)
  if (!order) return refusalBy({ kind: 'unknown' })
  const { phase, generation, result } = order
  // TEMPORARY of the game server's own call does not say that the order is stored.
  const isStored = phase === 'taken' || phase === 'reporting' || isOver(phase) || result !== null
  if (isStored && generation >= received.generation) return acknowledgeKnown(order, 'taken', orders)
  return phase === 'received' ? notConfirmed : { ...notTakenYet, result: notTakenYet.body.result }
}

/** An order under the number of another one. The ledger keeps the other one unless the platform waits for this. */
async function replace(
  event: TransferOrder,
  text: string,
  orders: ReceiveDeps['orders'],
): Promise<Order | WebhookAnswer> {
  const { book, questions } = orders
  const { transactionId, itemRef } = event
  const verdict = judgeOrder(await questions.word(transactionId), event)
  if (verdict.kind === 'awaited') return (await book.change(transactionId, replaceOrder(event, text))) as Order
  return verdict.kind === 'over' ? acknowledge(itemRef, undefined, 'over', orders) : refusalBy(verdict)
}

async function answerTerminal(
  event: TransactionTerminal,
  text: string,
  { book, questions }: ReceiveDeps['orders'],
): Promise<WebhookAnswer> {
  const verdict = judgeTerminal(await questions.word(event.transactionId), event)
  if (verdict.kind !== 'confirmed') return refusalBy(verdict)
  await book.change(event.transactionId, receiveTerminal(event, text, verdict.fields))
  return { status: 200, body: {}, result: 'recorded' }
}

const notConfirmed: WebhookAnswer = {
  status: 503,
  body: { message: 'the platform has not confirmed the event yet' },
  result: 'not-confirmed',
}

function refusalBy(verdict: Exclude<Verdict, { kind: 'awaited' | 'over' }>): WebhookAnswer {
  if (verdict.kind === 'undecided' || verdict.kind === 'unanswered') return notConfirmed
  const reason =
    verdict.kind === 'unknown'
      ? 'the platform does not know its transaction under our key'
      : `the platform shows another ${verdict.field}`
  return { status: 404, body: { message: reason }, result: 'not-ours', reason, cure: cures.checkWhoseOrder() }
}

function acknowledgeKnown(order: Order, result: WebhookResult, orders: ReceiveDeps['orders']): Promise<WebhookAnswer> {
  return acknowledge(order.itemRef, order, isOver(order.phase) ? 'over' : result, orders)
}

/** @param order Undefined for one that is over and not in the ledger. */
async function acknowledge(
  itemRef: string,
  order: Order | undefined,
  result: WebhookResult,
  orders: ReceiveDeps['orders'],
): Promise<WebhookAnswer> {
  const acknowledged = await orders.beginAcknowledging(itemRef, order)
  return { status: 200, body: bodyWith(acknowledged.observed), result, acknowledged }
}

/** @param observed Null if the ledger has no observation of the item. */
function bodyWith(observed: KnownObservation | null): WebhookAnswer['body'] {
  return observed === null ? {} : { observedQuantity: observed.quantity }
}
