import type { TransferOrder } from '../../contract/events.ts'
import { orderWaitsFor } from '../call/messages.ts'
import type { Order } from './order.ts'
import type { OrderPhase } from './order-moves.ts'

/** An order as game servers and operators see it. Dates are ISO-8601, UTC. */
export interface DescribedOrder {
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number | null
  readonly buyerCharacterRef: string | null
  readonly sellerCharacterRef: string | null
  readonly paidAt: string | null
  readonly state: 'offered' | 'taken' | 'put-off' | 'closed'
  readonly receivedAt: string
  readonly since: string
  readonly offers: number
  readonly retryAt: string | null
  /** One sentence for people. */
  readonly waitsFor: string
}

const shownStates = {
  offered: 'offered',
  taken: 'taken',
  acknowledged: 'taken',
  'offered-again': 'offered',
  'put-off': 'put-off',
  closed: 'closed',
  lost: 'closed',
} as const satisfies Record<OrderPhase, DescribedOrder['state']>

/** An open order, as `orders.open` and `market-agent orders` show it. */
export function describeOrder(order: Order): DescribedOrder {
  const ordered = order.orderText === null ? undefined : (JSON.parse(order.orderText) as TransferOrder)
  const state = shownStates[order.phase]
  return {
    transactionId: order.transactionId,
    itemRef: order.itemRef,
    quantity: ordered?.quantity ?? null,
    buyerCharacterRef: ordered?.buyerCharacterRef ?? null,
    sellerCharacterRef: ordered?.sellerCharacterRef ?? null,
    paidAt: ordered?.paidAt ?? null,
    state,
    receivedAt: new Date(order.receivedAtMs).toISOString(),
    since: new Date(order.sinceMs).toISOString(),
    offers: order.offers,
    retryAt: order.retryAtMs === null ? null : new Date(order.retryAtMs).toISOString(),
    waitsFor: orderWaitsFor[state],
  }
}

/** A closed one, with how it ended. */
export function describeClosedOrder(order: Order): DescribedOrder & { readonly outcome: string | null } {
  return { ...describeOrder(order), outcome: order.outcome }
}
