import { limits } from '../../../contract/limits.ts'
import {
  nextPhase,
  phaseOf,
  type TransactionPhase,
  type TransactionTrigger,
  transactionPhases,
} from '../../../contract/transaction.ts'
import { isoOrNull } from '../../clock/iso.ts'
import type { DueTrigger, MoneyRow, TransactionRow } from '../../store/transaction-rows.ts'
import type { Settings } from '../settings.ts'

/** Something that happens to a transaction, at a moment of the stub's clock (Unix ms). */
export interface TransactionEvent {
  readonly trigger: TransactionTrigger
  readonly at: number
}

/** What a move changes besides the transaction's own fields. */
export type Effect =
  /** A `transfer_order` goes out. */
  | { readonly kind: 'order'; readonly at: number }
  /** The transaction is over: its orders end, its `transaction_terminal` goes out. */
  | { readonly kind: 'terminal'; readonly reason: string | null }
  | { readonly kind: 'due'; readonly trigger: DueTrigger; readonly at: number }
  | { readonly kind: 'not-due'; readonly trigger: DueTrigger }
  /** An order that was not sent yet is not sent any more. */
  | { readonly kind: 'no-order' }
  /** quantitySold rises, or falls. */
  | { readonly kind: 'sold'; readonly quantity: number }
  | { readonly kind: 'money'; readonly move: MoneyRow['kind'] }

/** What becomes of a transaction on a trigger: its new state with what follows from it, or nothing new. */
export type Decision =
  | { readonly kind: 'moved'; readonly transaction: TransactionRow; readonly effects: readonly Effect[] }
  /** The report was taken before; it is answered with the same data and changes nothing. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'refused' }

interface Consequences {
  readonly changes?: Partial<TransactionRow>
  readonly effects?: readonly Effect[]
}

/** What each trigger does on its way, phase and terminal webhook apart. */
const consequencesOf: Readonly<
  Record<TransactionTrigger, (transaction: TransactionRow, at: number, settings: Settings) => Consequences>
> = {
  pay: (transaction, at) => ({
    changes: { paidAt: at },
    effects: [
      { kind: 'not-due', trigger: 'expire' },
      { kind: 'money', move: 'payment' },
      { kind: 'sold', quantity: transaction.quantity },
      { kind: 'order', at },
    ],
  }),
  expire: () => ({ effects: [{ kind: 'not-due', trigger: 'expire' }] }),
  cancel: () => ({ effects: [{ kind: 'not-due', trigger: 'expire' }] }),
  deliver: (_, at, { completionDelayMs }) => ({
    changes: { deliveredAt: at, failureReason: null, retryAt: null },
    effects: [{ kind: 'no-order' }, { kind: 'due', trigger: 'complete', at: at + completionDelayMs }],
  }),
  'fail-out-of-stock': (_, at) => ({
    changes: { failureReason: 'OUT_OF_STOCK', retryAt: null },
    effects: [{ kind: 'due', trigger: 'refund', at }],
  }),
  'fail-temporary': (transaction, at) => {
    const failureCount = transaction.failureCount + 1
    const retryAt = at + backoffMs(failureCount)
    return {
      changes: { failureReason: 'TEMPORARY', failureCount, retryAt },
      effects: [{ kind: 'order', at: retryAt }],
    }
  },
  dispute: () => ({ effects: [{ kind: 'not-due', trigger: 'complete' }] }),
  'reject-dispute': ({ deliveredAt }, at, { completionDelayMs }) =>
    deliveredAt === null
      ? {}
      : { effects: [{ kind: 'due', trigger: 'complete', at: Math.max(at, deliveredAt + completionDelayMs) }] },
  refund: (transaction) => ({
    effects: [
      { kind: 'not-due', trigger: 'refund' },
      { kind: 'money', move: 'refund' },
      { kind: 'sold', quantity: -transaction.quantity },
    ],
  }),
  complete: (_, at) => ({ changes: { completedAt: at }, effects: [{ kind: 'not-due', trigger: 'complete' }] }),
}

/** `reason` of the `transaction_terminal` that a phase sends. */
export const terminalReasons: Readonly<Partial<Record<TransactionPhase, string>>> = {
  'refunded-after-failure': 'OUT_OF_STOCK',
  'refunded-after-dispute': 'DISPUTE',
}

/**
 * The phase of a transaction after an event, and everything else that the event changes. The table of moves is the
 * contract's; this adds times, money, stock and webhooks. Pure.
 *
 * @see interface section 3; docs/decisions/0009
 */
export function decideMove(transaction: TransactionRow, event: TransactionEvent, settings: Settings): Decision {
  const { trigger, at } = event
  const phase = phaseOfRow(transaction)
  const next = nextPhase(phaseFieldsOf(transaction), trigger)
  if (next === undefined) return { kind: 'refused' }
  if (isRepeated(transaction, event, next === phase)) return { kind: 'repeated' }
  const { changes = {}, effects = [] } = consequencesOf[trigger](transaction, at, settings)
  const { paymentStatus, deliveryStatus, outcome } = transactionPhases[next]
  return {
    kind: 'moved',
    transaction: { ...transaction, ...changes, paymentStatus, deliveryStatus },
    effects: outcome ? [...effects, { kind: 'terminal', reason: terminalReasons[next] ?? null }] : effects,
  }
}

/** A `TEMPORARY` failure stays in its phase: before its retryAt it is the same report, after it the next one. */
function isRepeated(transaction: TransactionRow, { trigger, at }: TransactionEvent, staysInPhase: boolean): boolean {
  if (trigger === 'fail-temporary') return transaction.retryAt !== null && at < transaction.retryAt
  return staysInPhase
}

/** The phase of a stored transaction; the schema holds no pair that the interface does not know. */
export function phaseOfRow(transaction: TransactionRow): TransactionPhase {
  const phase = phaseOf(phaseFieldsOf(transaction))
  if (!phase) throw new Error(`transaction ${transaction.id} is in no phase of the interface`)
  return phase
}

function phaseFieldsOf({ paymentStatus, deliveryStatus, completedAt, deliveredAt }: TransactionRow) {
  return { paymentStatus, deliveryStatus, completedAt: isoOrNull(completedAt), deliveredAt: isoOrNull(deliveredAt) }
}

/**
 * Wait after failure n (1 = first), in ms: 15 s, doubling to 1 h, without end and without jitter. Both the webhooks'
 * retries and the re-sending of an order after `TEMPORARY` follow it.
 *
 * @see interface section 6; docs/decisions/0032
 */
export function backoffMs(failures: number): number {
  const { webhookRetryDelayMsFirst, webhookRetryDelayMsMax } = limits
  return Math.min(webhookRetryDelayMsMax, webhookRetryDelayMsFirst * 2 ** (failures - 1))
}
