import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import { eventOf, type Order } from './order.ts'

/** Warns where `OUT_OF_STOCK` is reported with a stock that covers the order: the refund cannot be undone. */
export function warnOfStock(order: Order | undefined, observedQuantity: number, log: Pick<Log, 'warn'>): void {
  const ordered = order && eventOf(order)?.quantity
  if (order === undefined || ordered === undefined || observedQuantity < ordered) return
  const { transactionId, itemRef } = order
  log.warn(
    { transactionId, itemRef, ordered, observedQuantity, cure: cures.reportTemporary() },
    'OUT_OF_STOCK is reported together with a stock that covers the order',
  )
}
