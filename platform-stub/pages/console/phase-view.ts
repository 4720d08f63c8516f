import { html } from 'hono/html'
import {
  type DeliveryStatus,
  nextPhase,
  type PaymentStatus,
  type TransactionPhase,
  type TransactionTrigger,
  transactionPhases,
} from '../../../contract/transaction.ts'
import type { HistoryRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'

/** The tone of each status, the same everywhere on the console. */
const tones: Readonly<Record<PaymentStatus | DeliveryStatus, string>> = {
  AGUARDANDO_PAGAMENTO: 'calm',
  PAGO: 'good',
  ESTORNADO: 'wait',
  EXPIRADO: 'calm',
  CANCELADO: 'calm',
  AGUARDANDO_SERVIDOR: 'busy',
  ENTREGUE: 'good',
  FALHOU: 'bad',
  EM_DISPUTA: 'argued',
}

/** The tone of each phase: the class that gives it its colour, the same everywhere on the console. */
export const phaseTones: Readonly<Record<TransactionPhase, string>> = {
  'awaiting-payment': 'calm',
  'awaiting-server': 'busy',
  delivered: 'good',
  failed: 'bad',
  disputed: 'argued',
  completed: 'good',
  'refunded-after-failure': 'wait',
  'refunded-after-dispute': 'wait',
  expired: 'calm',
  cancelled: 'calm',
}

/** One axis of a transaction's state. */
export function statusBadge(status: PaymentStatus | DeliveryStatus | null): Html {
  return status === null
    ? html`<span class="soft">null</span>`
    : html`<span class="badge ${tones[status]}">${status}</span>`
}

/** A phase in words: `awaiting payment`. */
export function phaseName(phase: string): string {
  return phase.replaceAll('-', ' ')
}

/** The cause of each trigger, and the words for it in the history. */
export const triggers: Readonly<Record<TransactionTrigger | 'create', { readonly by: string; readonly done: string }>> =
  {
    create: { by: 'game client', done: 'Purchase created' },
    pay: { by: 'buyer', done: 'Payment confirmed' },
    expire: { by: 'time', done: 'Payment expired' },
    cancel: { by: 'buyer', done: 'Cancelled' },
    deliver: { by: 'game server', done: 'Delivery confirmed' },
    'fail-out-of-stock': { by: 'game server', done: 'Delivery failed: OUT_OF_STOCK' },
    'fail-temporary': { by: 'game server', done: 'Delivery put off: TEMPORARY' },
    dispute: { by: 'buyer', done: 'Dispute opened' },
    'reject-dispute': { by: 'staff', done: 'Dispute rejected' },
    refund: { by: 'platform', done: 'Refunded' },
    complete: { by: 'time', done: 'Completed' },
  }

/** One move that a transaction made. */
export interface Step {
  readonly from: TransactionPhase
  readonly trigger: TransactionTrigger
  readonly to: TransactionPhase
}

/** The moves that a transaction made, by the contract's table. */
export function wayOf(history: readonly HistoryRow[]): Step[] {
  const way: Step[] = []
  let from: TransactionPhase = 'awaiting-payment'
  let deliveredAt: string | null = null
  for (const { trigger } of history) {
    if (trigger === 'create') continue
    const { paymentStatus, deliveryStatus } = transactionPhases[from]
    const completedAt = from === 'completed' ? 'known' : null
    const to: TransactionPhase | undefined = nextPhase(
      { paymentStatus, deliveryStatus, deliveredAt, completedAt },
      trigger,
    )
    if (!to) break
    if (to === 'delivered') deliveredAt = 'known'
    way.push({ from, trigger, to })
    from = to
  }
  return way
}
