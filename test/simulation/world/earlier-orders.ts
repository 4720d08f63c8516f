import { newOrder, type Order } from '../../../agent/orders/order.ts'
import type { TransferOrder } from '../../../contract/events.ts'
import { startOfRunMs } from '../host-clock.ts'
import type { Random } from '../random.ts'
import { seller } from './model-platform.ts'

/** How many ledgers are older than the platform. */
const earlierRate = 0.5

const hourMs = 3_600_000
/** The oldest are removed soon: the agent keeps an order for 30 days after its end. */
const ageMs = { min: hourMs, max: 40 * 24 * hourMs }
const ordersMax = 40
/** Numbers that the new platform does not reach. */
const firstLostId = 10_000
/** How many orders with such numbers the game server still had. */
const lostCounts = [0, 0, 1, 3]
/** Most of the first orders are for the first item. */
const firstItems = [1, 1, 1, 2, 3]

/** How the agent knows that an order is over. It may have closed one without knowing why. */
const ends: readonly Partial<Order>[] = [
  { result: 'DELIVERED', reported: 'DELIVERED', outcome: 'CONCLUIDA' },
  { result: 'DELIVERED', reported: 'DELIVERED' },
  { result: 'OUT_OF_STOCK', reported: 'OUT_OF_STOCK', outcome: 'ESTORNADA' },
  { result: 'OUT_OF_STOCK', reported: 'OUT_OF_STOCK' },
  { outcome: 'ESTORNADA' },
  {},
]

/**
 * The platform was set up again, and the ledger of an agent was not. The new platform gives the same numbers to other
 * orders. Some of them differ only in the time of the payment. A few were taken, and the platform does not know them any more.
 *
 * @param itemRefOf The name of the n-th item of this game server.
 * @returns The orders in the ledger; none in half of the worlds.
 */
export function drawEarlierOrders(random: Random, itemRefOf: (n: number) => string): readonly Order[] {
  if (!random.happens(earlierRate)) return []
  const over = Array.from({ length: random.integer(1, ordersMax) }, (_, n) => n + 1)
  const lost = Array.from({ length: random.pick(lostCounts) }, (_, n) => firstLostId + n)
  return [...over, ...lost].map((transactionId): Order => {
    const overMs = startOfRunMs - Math.round(random.magnitude(ageMs.min, ageMs.max))
    const event: TransferOrder = {
      event: 'transfer_order',
      transactionId,
      itemRef: itemRefOf(random.pick(firstItems)),
      quantity: random.integer(1, 2),
      // As that of most of the first orders.
      buyerCharacterRef: `buy-${transactionId}`,
      sellerCharacterRef: seller,
      paidAt: new Date(overMs).toISOString(),
    }
    const order: Order = { ...newOrder(event, JSON.stringify(event), overMs), lastTransfer: 'acknowledged', offers: 1 }
    return isLost(event) ? { ...order, phase: 'taken' } : { ...order, ...random.pick(ends), phase: 'closed' }
  })
}

/** Whether the platform does not know the number of an order that was taken. It stays open for a day. */
export function isLost({ transactionId }: Pick<Order, 'transactionId'>): boolean {
  return transactionId >= firstLostId
}
