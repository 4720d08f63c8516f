import * as z from 'zod/mini'
import { characterRef, itemRef, knownText, momentOf, name, observation, quantity, transactionId } from './fields.ts'

export const paymentStatuses = ['AGUARDANDO_PAGAMENTO', 'PAGO', 'ESTORNADO', 'EXPIRADO', 'CANCELADO'] as const
export const deliveryStatuses = ['AGUARDANDO_SERVIDOR', 'ENTREGUE', 'FALHOU', 'EM_DISPUTA'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Body of POST /v1/api/transactions. No price: the platform takes it from the listing. @see interface section 4.5 */
export const purchase = z.looseObject({
  itemRef,
  quantity: quantity.check(z.describe('How many units; refused above the estimate of the stock.')),
  buyerCharacterRef: characterRef,
})

const failureReasons = ['OUT_OF_STOCK', 'TEMPORARY'] as const
export type FailureReason = (typeof failureReasons)[number]

/** Body of POST …/delivery-failure. @see interface section 4.8 */
export const deliveryFailure = z.looseObject({
  transactionId,
  reason: z
    .enum(failureReasons)
    .check(
      z.describe('`OUT_OF_STOCK` refunds the buyer for good; `TEMPORARY` makes the platform send the order again.'),
    ),
  observedQuantity: observation,
  detail: z.optional(z.string().check(z.describe('For logs and the staff; never shown to the buyer.'))),
})

/** What creation answers. @see interface section 4.5 */
export const createdTransaction = z.looseObject({
  transactionId: z.optional(
    transactionId.check(
      z.describe('Identifier of the transaction. The interface does not promise it here; `transfer_order` has it.'),
    ),
  ),
  checkoutUrl: name.check(z.describe('Web checkout address for the buyer.')),
})

/** First axis of a transaction's state. */
export const paymentStatus = knownText('First axis of the state.', paymentStatuses)
/** Second axis; null while there is nothing to deliver. */
export const deliveryStatus = z.nullable(knownText('Second axis of the state.', deliveryStatuses))
const statusPair = { transactionId, paymentStatus, deliveryStatus }

/** What reading answers. The interface promises both axes, and `completedAt` once it is completed. @see section 4.6 */
export const transactionState = z.looseObject({
  ...statusPair,
  transactionId: z.optional(transactionId),
  completedAt: z.optional(z.nullable(momentOf('When it was completed; a time tells completed from delivered.'))),
})
/** @see interface section 4.7 */
export const deliveryConfirmation = z.looseObject({
  ...statusPair,
  deliveredAt: momentOf('When the delivery was confirmed.'),
})
/** @see interface section 4.8 */
export const deliveryFailureReport = z.looseObject({
  ...statusPair,
  refundStarted: z.boolean().check(z.describe('Whether the buyer gets the money back: true for `OUT_OF_STOCK`.')),
  retryAt: z.nullable(momentOf('When the order is sent again; null for `OUT_OF_STOCK`.')),
})

/**
 * The phases of a transaction. The two axes do not separate a delivered transaction from a completed one by themselves,
 * so a phase has both axes and, for that one, `completedAt`.
 */
export const transactionPhases = {
  'awaiting-payment': { paymentStatus: 'AGUARDANDO_PAGAMENTO', deliveryStatus: null, outcome: null },
  'awaiting-server': { paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR', outcome: null },
  delivered: { paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', outcome: null },
  failed: { paymentStatus: 'PAGO', deliveryStatus: 'FALHOU', outcome: null },
  disputed: { paymentStatus: 'PAGO', deliveryStatus: 'EM_DISPUTA', outcome: null },
  completed: { paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', outcome: 'CONCLUIDA' },
  'refunded-after-failure': { paymentStatus: 'ESTORNADO', deliveryStatus: 'FALHOU', outcome: 'ESTORNADA' },
  'refunded-after-dispute': { paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA', outcome: 'ESTORNADA' },
  expired: { paymentStatus: 'EXPIRADO', deliveryStatus: null, outcome: 'EXPIRADA' },
  cancelled: { paymentStatus: 'CANCELADO', deliveryStatus: null, outcome: 'CANCELADA' },
} as const satisfies Record<
  string,
  { paymentStatus: PaymentStatus; deliveryStatus: DeliveryStatus | null; outcome: string | null }
>
export type TransactionPhase = keyof typeof transactionPhases
export type TerminalOutcome = NonNullable<(typeof transactionPhases)[TransactionPhase]['outcome']>

export const transactionTriggers = [
  'pay',
  'expire',
  'cancel',
  'deliver',
  'fail-out-of-stock',
  'fail-temporary',
  'dispute',
  'reject-dispute',
  'refund',
  'complete',
] as const
export type TransactionTrigger = (typeof transactionTriggers)[number]

/**
 * Every move of a transaction. A trigger that is not named in a phase is refused there and changes nothing.
 *
 * - A move from a phase to the same phase means that the report was accepted before: repeating it is answered with the
 *   same data.
 * - `where-it-was`: a rejected dispute returns to `delivered` when the item had been delivered, else `awaiting-server`.
 *
 * @see interface section 3
 */
export const transactionMoves: Readonly<
  Record<TransactionPhase, Readonly<Partial<Record<TransactionTrigger, TransactionPhase | 'where-it-was'>>>>
> = {
  'awaiting-payment': { pay: 'awaiting-server', expire: 'expired', cancel: 'cancelled' },
  'awaiting-server': {
    deliver: 'delivered',
    'fail-out-of-stock': 'failed',
    'fail-temporary': 'awaiting-server',
    dispute: 'disputed',
  },
  delivered: { deliver: 'delivered', complete: 'completed', dispute: 'disputed' },
  failed: { 'fail-out-of-stock': 'failed', refund: 'refunded-after-failure' },
  disputed: { refund: 'refunded-after-dispute', 'reject-dispute': 'where-it-was' },
  completed: { deliver: 'completed' },
  'refunded-after-failure': { 'fail-out-of-stock': 'refunded-after-failure' },
  'refunded-after-dispute': {},
  expired: {},
  cancelled: {},
}

/** The fields that decide a transaction's phase. */
export interface PhaseFields {
  readonly paymentStatus: string
  readonly deliveryStatus: string | null
  readonly completedAt?: string | null | undefined
  readonly deliveredAt?: string | null | undefined
}

/** The phase of a record; undefined for a pair that the interface does not know. */
export function phaseOf(transaction: PhaseFields): TransactionPhase | undefined {
  const { paymentStatus, deliveryStatus } = transaction
  if (paymentStatus === 'PAGO' && deliveryStatus === 'ENTREGUE')
    return transaction.completedAt ? 'completed' : 'delivered'
  for (const [phase, pair] of Object.entries(transactionPhases)) {
    if (pair.paymentStatus === paymentStatus && pair.deliveryStatus === deliveryStatus) return phase as TransactionPhase
  }
  return undefined
}

/** The phase after a trigger, or undefined where it is refused. */
export function nextPhase(transaction: PhaseFields, trigger: TransactionTrigger): TransactionPhase | undefined {
  const phase = phaseOf(transaction)
  const next = phase && transactionMoves[phase][trigger]
  if (next === 'where-it-was') return transaction.deliveredAt ? 'delivered' : 'awaiting-server'
  return next
}

/**
 * The outcome that a `transaction_terminal` webhook reports, only from its pair. The event is sent only for terminal
 * transactions, so a delivered pair in it is a completed one.
 *
 * @returns null for a pair that is not terminal.
 * @see interface section 3
 */
export function terminalOutcome(paymentStatus: string, deliveryStatus: string | null): TerminalOutcome | null {
  const phase = phaseOf({ paymentStatus, deliveryStatus, completedAt: 'known by the event' })
  return phase ? transactionPhases[phase].outcome : null
}

type Fields = Readonly<Record<string, unknown>>

/** The data of a delivery that a transaction shows; undefined where it shows none. */
export function proofOfDelivery(transaction: Fields): Fields | undefined {
  const { transactionId, paymentStatus, deliveryStatus, deliveredAt = null } = transaction
  const isDelivered = paymentStatus === 'PAGO' && deliveryStatus === 'ENTREGUE'
  return isDelivered ? { transactionId, paymentStatus, deliveryStatus, deliveredAt } : undefined
}

/** The data of an `OUT_OF_STOCK` report that a transaction shows. A `TEMPORARY` one leaves no trace in it. */
export function proofOfFailure(transaction: Fields, { reason }: Fields): Fields | undefined {
  const { transactionId, paymentStatus, deliveryStatus } = transaction as Fields & PhaseFields
  const phase = phaseOf({ paymentStatus, deliveryStatus })
  const isFailed = phase === 'failed' || phase === 'refunded-after-failure'
  if (reason !== 'OUT_OF_STOCK' || !isFailed) return undefined
  return { transactionId, paymentStatus, deliveryStatus, refundStarted: true, retryAt: null }
}
