import type { Order } from '../../../../agent/orders/order.ts'
import type { OrderLedger } from '../../../../agent/orders/order-ledger.ts'

/** What a dead process gets. */
const never = new Promise<never>(() => undefined)

/** What survives a process: the rows of a ledger. */
export interface Rows {
  readonly orders: Map<number, Order>
  readonly observations: Map<string, number>
}

/** A ledger over rows. Once its process is dead, nothing is changed or answered any more. */
export function memoryLedger({ orders, observations }: Rows, isDead: () => boolean): OrderLedger {
  const answer = <Found>(find: () => Found): Promise<Found> => (isDead() ? never : Promise.resolve(find()))
  const all = (isMeant: (order: Order) => boolean, by: 'receivedAtMs' | 'sinceMs') =>
    [...orders.values()].filter(isMeant).sort((one, other) => one[by] - other[by])
  const isClosed = ({ phase }: Order) => phase === 'closed'
  return {
    find: (transactionId) => answer(() => orders.get(transactionId)),
    findOpen: () => answer(() => all((order) => !isClosed(order), 'receivedAtMs')),
    findClosedSince: (sinceMs, max) =>
      answer(() => all((order) => isClosed(order) && order.sinceMs >= sinceMs, 'sinceMs').slice(0, max)),
    findUnconfirmedEnds: () =>
      answer(() => all(({ endText, isEndConfirmed }) => endText !== null && !isEndConfirmed, 'sinceMs')),
    change: (transactionId, change, options) =>
      answer(() => {
        const before = orders.get(transactionId)
        const wanted = change(before)
        if (wanted === undefined) return { before, after: before }
        if (wanted === null) orders.delete(transactionId)
        else orders.set(transactionId, wanted)
        if (wanted && options?.observedQuantity !== undefined)
          observations.set(wanted.itemRef, options.observedQuantity)
        return { before, after: wanted ?? undefined }
      }),
    observationOf: (itemRef) => answer(() => observations.get(itemRef) ?? null),
    observe: (itemRef, observedQuantity) => answer(() => void observations.set(itemRef, observedQuantity)),
    removeClosedBefore: () => answer(() => []),
    assertWritable: () => answer(() => undefined),
    close: async () => undefined,
  }
}
