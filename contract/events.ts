import * as z from 'zod/mini'
import { characterRef, itemRef, observation, quantity, readableMomentOf, transactionId } from './fields.ts'
import { readStrictJson } from './strict-json.ts'
import { deliveryStatus, paymentStatus } from './transaction.ts'

/** Payment is confirmed: transfer the item. Sent again after a `TEMPORARY` failure. @see interface section 6 */
export const transferOrder = z.looseObject({
  event: z.literal('transfer_order'),
  transactionId,
  itemRef,
  quantity: quantity.check(z.describe('How many units to transfer: all or none.')),
  buyerCharacterRef: characterRef,
  sellerCharacterRef: characterRef,
  paidAt: readableMomentOf('When the payment was confirmed.'),
})
export type TransferOrder = z.infer<typeof transferOrder>

/** The transaction reached a final outcome: reconcile and release the item. @see interface section 6 */
export const transactionTerminal = z.looseObject({
  event: z.literal('transaction_terminal'),
  transactionId,
  itemRef,
  paymentStatus,
  deliveryStatus,
  reason: z.nullable(z.string().check(z.describe('Why it ended so, where there is something to say.'))),
  occurredAt: readableMomentOf('When it ended.'),
})
export type TransactionTerminal = z.infer<typeof transactionTerminal>

/** The only two events, by name. */
export const webhookEvents = {
  transfer_order: {
    payload: transferOrder,
    summary: 'Payment is confirmed: transfer the item and report the stock that is left.',
  },
  transaction_terminal: {
    payload: transactionTerminal,
    summary: 'The transaction reached a final outcome: reconcile and release the item.',
  },
} as const
export type WebhookEvent = keyof typeof webhookEvents

/**
 * What the agent answers to an order that its game server has not taken yet: not 2xx, so the platform sends it again. The
 * platform needs only the status. The stub tells it from a failure by `result`.
 */
export const notTakenYet = {
  status: 503,
  body: { message: 'the game server has not taken the order yet', result: 'not-taken' },
} as const

/** Whether an answer to a webhook is `notTakenYet`. */
export function isNotTakenYet(answer: string | null): boolean {
  const reading = readStrictJson(answer ?? '')
  return reading.ok && reading.object.value['result'] === notTakenYet.body.result
}

/** The event in a webhook's body; undefined where it is none of the interface. */
export function readEvent(text: string): TransferOrder | TransactionTerminal | undefined {
  const reading = readStrictJson(text, { numbers: 'any' })
  if (!reading.ok) return undefined
  for (const { payload } of Object.values(webhookEvents)) {
    const parsed = payload.safeParse(reading.object.value)
    if (parsed.success) return parsed.data
  }
  return undefined
}

/** In words, why a text is not an event of the interface: the first field that is wrong, if it names its event. */
export function eventProblem(text: string): string {
  const reading = readStrictJson(text, { numbers: 'any' })
  if (!reading.ok) return `the body is not JSON (${reading.error.kind})`
  const { event } = reading.object.value
  const known = Object.entries(webhookEvents).find(([name]) => name === event)
  if (!known) return 'the field event names no event of the interface'
  const issue = known[1].payload.safeParse(reading.object.value).error?.issues[0]
  return `the field ${issue?.path.join('.')} of ${known[0]} is missing or wrong`
}

const bareReply = z.looseObject({ observedQuantity: observation })

/** What a receiver of `transfer_order` answers: the observation, bare or under `data`. @see interface section 6 */
export const transferOrderReply = z.union([bareReply, z.looseObject({ data: bareReply })])

/** The observation in a receiver's reply, bare or under `data`; undefined without one. @see interface section 6 */
export function observedQuantityOf(reply: unknown): number | undefined {
  const parsed = transferOrderReply.safeParse(reply)
  if (!parsed.success) return undefined
  const bare = bareReply.safeParse(parsed.data)
  return bare.success
    ? bare.data.observedQuantity
    : (parsed.data as { data: { observedQuantity: number } }).data.observedQuantity
}
