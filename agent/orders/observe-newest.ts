import type { KnownObservation, OrderLedger } from './order-ledger.ts'
import type { OrderObservations } from './order-reports.ts'

/**
 * Tells the repairs the newest observation of an item. A call may note a newer one meanwhile. Then the newer one is told last.
 *
 * @param newest As the ledger had it.
 */
export async function observeNewest(
  observations: Pick<OrderObservations, 'observe'>,
  ledger: Pick<OrderLedger, 'observationOf'>,
  itemRef: string,
  newest: KnownObservation,
): Promise<void> {
  for (let told = newest; ; ) {
    await observations.observe(itemRef, told.quantity)
    const known = await ledger.observationOf(itemRef)
    if (known === null || known.mark <= told.mark) return
    told = known
  }
}
