import { newOrder, type Order } from '../../../agent/orders/order.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { orderPhases } from '../../../agent/orders/order-moves.ts'
import { order as event } from '../../agent/fixtures/events.ts'
import { observeNow } from '../../agent/fixtures/observe-now.ts'
import type { Random } from '../random.ts'
import type { Step } from './transcript.ts'

const transactionIds = [1, 2, 3, 4] as const
const itemRefs = ['sword', 'shield'] as const

function drawOrder(random: Random, transactionId: number): Order {
  const order = newOrder({ ...event, transactionId, itemRef: random.pick(itemRefs) }, '{}', random.integer(0, 5))
  return { ...order, phase: random.pick(orderPhases), sinceMs: random.integer(0, 5), offers: random.integer(0, 99) }
}

/** What a process may do with a ledger. */
export const ledgerSteps: readonly Step<OrderLedger>[] = [
  async ({ store }, random) => {
    const id = random.pick(transactionIds)
    const order = drawOrder(random, id)
    const survives = random.pick(['power-cut', 'kill'] as const)
    await store.change(id, () => ({ order, survives, observedQuantity: random.pick([undefined, 0, 7]) }))
    return `${id} is ${order.phase}, to survive a ${survives}`
  },
  async ({ store }, random) => {
    const id = random.pick(transactionIds)
    const observedQuantity = random.pick([undefined, 3])
    await store.change(id, (known) => ({ order: known, observedQuantity }))
    return `${id} stays, with ${observedQuantity} observed`
  },
  async ({ store }, random) => {
    const id = random.pick(transactionIds)
    await store.change(id, () => ({ order: null }))
    return `${id} goes`
  },
  async ({ store }, random) => {
    const [itemRef, quantity] = [random.pick(itemRefs), random.integer(0, 99)]
    await observeNow(store, itemRef, quantity)
    return `${quantity} of ${itemRef} are observed`
  },
  async ({ store }, random) => {
    const beforeMs = random.integer(0, 6)
    const removed = await store.removeClosedBefore(beforeMs)
    return `what is older than ${beforeMs} goes: ${[...removed].sort()}`
  },
]

/** What a process sees of a ledger. */
export async function lookAtLedger(ledger: OrderLedger): Promise<unknown> {
  const found = await Promise.all(transactionIds.map((id) => ledger.find(id)))
  const lists = [
    await ledger.findOpen(),
    await ledger.findOverSince(2, 2),
    (await ledger.adopt()).filter(({ phase }) => phase === 'ended'),
  ]
  const observed = await Promise.all(
    itemRefs.map(async (itemRef) => (await ledger.observationOf(itemRef))?.quantity ?? null),
  )
  const ids = lists.map((list) => list.map(({ transactionId }) => transactionId))
  return { found: found.map((order) => order && [order.phase, order.offers]), ids, observed }
}
