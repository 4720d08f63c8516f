import { faultTable } from '../../../agent/call/fault-table.ts'
import { observationMoves } from '../../../agent/call/observation.ts'
import { orderMoves } from '../../../agent/orders/order-moves.ts'
import { RequestTable } from '../../../agent/spool/requests.ts'
import { transactionMoves } from '../../../contract/transaction.ts'
import { countLookups, countMoves, type RowCounts } from '../coverage.ts'

/** Counts from now on how often each row of the programs' own tables is used. Once for each process. */
export function countRows(): RowCounts {
  const counts: RowCounts = new Map()
  countLookups('order', orderMoves, 2, counts)
  countLookups('stock', observationMoves, 2, counts)
  countLookups('fault of an attempt', faultTable, 1, counts)
  countLookups('transaction', transactionMoves, 2, counts)
  const stateOf = (table: RequestTable, id: string) =>
    [...table.active].find((request) => request.id === id)?.at ?? 'new'
  countMoves(
    'request file',
    RequestTable.prototype,
    'set',
    (table, request) => [stateOf(table, request.id), request.at],
    counts,
  )
  return counts
}
