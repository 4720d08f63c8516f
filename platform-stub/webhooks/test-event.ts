import * as z from 'zod/mini'
import type { TransactionTerminal, TransferOrder } from '../../contract/events.ts'
import { characterRef, itemRef, quantity, transactionId } from '../../contract/fields.ts'
import { transactionPhases } from '../../contract/transaction.ts'
import { iso } from '../clock/iso.ts'
import { terminalReasons } from '../marketplace/transactions/moves.ts'

/** The transactions of test events have greater numbers than this one, and no sale has; they fit into 32 bits. */
export const testTransactionIdAbove = 2_000_000_000

/** The phase that a test of `transaction_terminal` reports, by its outcome. */
const phases = {
  CONCLUIDA: 'completed',
  ESTORNADA: 'refunded-after-failure',
  EXPIRADA: 'expired',
  CANCELADA: 'cancelled',
} as const

/** The outcomes that a test event can report. */
export const testOutcomes = Object.keys(phases) as (keyof typeof phases)[]

const shared = {
  transactionId: z.optional(transactionId),
  itemRef: z._default(itemRef, 'test-item'),
  webhookUrl: z.optional(z.unknown()),
}

/** What a test event says, and where it goes. There is no sale behind it. */
export const testEvent = z.discriminatedUnion('event', [
  z.strictObject({
    event: z.literal('transfer_order'),
    ...shared,
    quantity: z._default(quantity, 1),
    buyerCharacterRef: z._default(characterRef, 'test-buyer'),
    sellerCharacterRef: z._default(characterRef, 'test-seller'),
  }),
  z.strictObject({
    event: z.literal('transaction_terminal'),
    ...shared,
    outcome: z._default(z.enum(testOutcomes), 'CONCLUIDA'),
  }),
])

/** The payload of a test event: the fields of the interface and no other, so that a receiver takes it as a real one. */
export function testPayload(asked: z.infer<typeof testEvent>, transactionId: number, nowMs: number): string {
  const { event, itemRef } = asked
  if (event === 'transfer_order') {
    const { quantity, buyerCharacterRef, sellerCharacterRef } = asked
    const sale = { itemRef, quantity, buyerCharacterRef, sellerCharacterRef }
    return JSON.stringify({ event, transactionId, ...sale, paidAt: iso(nowMs) } satisfies TransferOrder)
  }
  const phase = phases[asked.outcome]
  const { paymentStatus, deliveryStatus } = transactionPhases[phase]
  const end = { paymentStatus, deliveryStatus, reason: terminalReasons[phase] ?? null, occurredAt: iso(nowMs) }
  return JSON.stringify({ event, transactionId, itemRef, ...end } satisfies TransactionTerminal)
}
