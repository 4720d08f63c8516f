import type { Order } from '../../../agent/orders/order.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { isOver } from '../../../agent/orders/order-moves.ts'

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
  const marks = new Map<string, number>()
  let newestMark = 0
  const note = (itemRef: string, observedQuantity: number, mark = ++newestMark): void => {
    observations.set(itemRef, observedQuantity)
    marks.set(itemRef, mark)
  }
  return {
    find: (transactionId) => answer(() => orders.get(transactionId)),
    findOpen: () => answer(() => all(({ phase }) => !isOver(phase), 'receivedAtMs')),
    findOpenInWorlds: () =>
      answer(() => all(({ phase }) => !isOver(phase), 'receivedAtMs').map((order) => ({ world: '', order }))),
    findOverSince: (sinceMs, max) =>
      answer(() => all(({ phase, sinceMs: endedMs }) => isOver(phase) && endedMs >= sinceMs, 'sinceMs').slice(0, max)),
    adopt: () => answer(() => all(({ phase }) => phase !== 'closed', 'receivedAtMs')),
    onOthers: () => undefined,
    change: (transactionId, change) =>
      answer(() => {
        const { order, observedQuantity, observedMark } = change(orders.get(transactionId))
        if (order === null) orders.delete(transactionId)
        else if (order) orders.set(transactionId, order)
        if (order && observedQuantity !== undefined) note(order.itemRef, observedQuantity, observedMark)
        return { order: orders.get(transactionId), isOurs: true }
      }),
    observationOf: (itemRef) =>
      answer(() => {
        const quantity = observations.get(itemRef)
        return quantity === undefined ? null : { quantity, mark: marks.get(itemRef) ?? 0 }
      }),
    drawMark: () => answer(() => ++newestMark),
    observe: (itemRef, { quantity, mark }) =>
      answer(() => {
        const isNoted = (marks.get(itemRef) ?? 0) <= mark
        if (isNoted) note(itemRef, quantity, mark)
        return { isNoted, durable: Promise.resolve() }
      }),
    removeClosedBefore: () => answer(() => []),
    close: async () => undefined,
  }
}
