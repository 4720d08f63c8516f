import { type TransactionPhase, transactionPhases } from '../../../contract/transaction.ts'
import type { StateCount } from '../../store/console-queries.ts'

/** How many stand in each phase. */
export function phaseCounts(stateCounts: readonly StateCount[]): Map<TransactionPhase, number> {
  const phases = Object.entries(transactionPhases) as [TransactionPhase, (typeof transactionPhases)[TransactionPhase]][]
  return new Map(
    phases.map(([phase, { paymentStatus, deliveryStatus }]) => [
      phase,
      stateCounts.find(
        (row) =>
          row.paymentStatus === paymentStatus &&
          row.deliveryStatus === deliveryStatus &&
          row.isCompleted === (phase === 'completed' ? 1 : 0),
      )?.count ?? 0,
    ]),
  )
}

/** The sum of counts. */
export function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0)
}
