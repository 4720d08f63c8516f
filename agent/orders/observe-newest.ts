import { StoreUnreachableError } from '../database/store-errors.ts'
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

/**
 * Says what became of a stock that the platform may have. If the store goes away meanwhile, the newest stock of the item is
 * sent again when it is back. Only a shared store goes away, and it knows by then which one is the newest.
 */
export async function sayOrSendAgain(
  observations: Pick<OrderObservations, 'noteOverwritten'>,
  itemRef: string,
  quantity: number,
  say: () => Promise<void>,
): Promise<void> {
  try {
    await say()
  } catch (error) {
    if (error instanceof StoreUnreachableError) await observations.noteOverwritten(itemRef, quantity)
    throw error
  }
}
