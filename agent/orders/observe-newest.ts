import { isStoreFailure } from '../database/store-errors.ts'
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
 * Notes what became of a stock that the platform may have. If the store is away or full meanwhile, the newest stock of the
 * item is sent again later. A shared store knows by then which one that is. In a ledger of its own only the newest one finds
 * no room.
 *
 * @param quantity What is sent again if the store knows no stock of the item.
 */
export async function noteOrSendAgain(
  observations: Pick<OrderObservations, 'noteOverwritten'>,
  itemRef: string,
  quantity: number,
  note: () => Promise<void>,
): Promise<void> {
  try {
    await note()
  } catch (error) {
    if (isStoreFailure(error)) await observations.noteOverwritten(itemRef, quantity)
    throw error
  }
}
