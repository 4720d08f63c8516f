import { html } from 'hono/html'
import {
  type DeliveryStatus,
  type PaymentStatus,
  phaseOf,
  type TransactionPhase,
  type TransactionTrigger,
  transactionPhases,
} from '../../../contract/transaction.ts'
import type { ConsoleQueries, StateCount } from '../../store/console-queries.ts'
import type { HistoryRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { badge } from '../parts.ts'
import type { Texts } from '../texts/en.ts'

/** The tone of each status: the class that gives it its colour, the same everywhere on the console. */
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

/** The tone of a phase: that of its payment, or of its delivery once it is paid. */
export function phaseTone(phase: TransactionPhase): string {
  const { paymentStatus, deliveryStatus } = transactionPhases[phase]
  return tones[paymentStatus === 'PAGO' && deliveryStatus ? deliveryStatus : paymentStatus]
}

/** Both axes of a transaction's state. */
export function statusBadges({ paymentStatus, deliveryStatus }: Omit<StateCount, 'isCompleted' | 'count'>): Html {
  const delivery =
    deliveryStatus === null ? html`<span class="soft">null</span>` : badge(tones[deliveryStatus], deliveryStatus)
  return html`<p class="row">${badge(tones[paymentStatus], paymentStatus)}${delivery}</p>`
}

/** A move of a transaction or a listing, in the language of the page. */
export function moveName({ machine }: Texts, trigger: string): string {
  return machine.triggers[trigger] ?? trigger
}

/** One move that a transaction made. */
export interface Step {
  readonly from: TransactionPhase
  readonly trigger: TransactionTrigger
  readonly to: TransactionPhase
}

/** The moves that a transaction made. */
export function stepsOf(history: readonly HistoryRow[]): Step[] {
  return history.flatMap((row, at) => {
    const before = history[at - 1]
    return row.trigger === 'create' || !before
      ? []
      : [{ from: phaseAfter(before), trigger: row.trigger, to: phaseAfter(row) }]
  })
}

/** The phase that a move led to. */
export function phaseAfter({ trigger, paymentStatus, deliveryStatus }: HistoryRow): TransactionPhase {
  return knownPhase({ paymentStatus, deliveryStatus, isCompleted: trigger === 'complete' ? 1 : 0 })
}

/** How many transactions are in each phase. */
export function phaseCounts(queries: ConsoleQueries): Map<TransactionPhase, number> {
  const counts = new Map(Object.keys(transactionPhases).map((phase) => [phase as TransactionPhase, 0]))
  for (const row of queries.stateCounts()) counts.set(knownPhase(row), row.count)
  return counts
}

function knownPhase({ paymentStatus, deliveryStatus, isCompleted }: Omit<StateCount, 'count'>): TransactionPhase {
  const phase = phaseOf({ paymentStatus, deliveryStatus, completedAt: isCompleted ? 'known' : null })
  if (!phase) throw new Error(`${paymentStatus} and ${deliveryStatus} are in no phase of the interface`)
  return phase
}
