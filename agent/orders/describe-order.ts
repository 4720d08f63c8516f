import type { OrderResult } from '../../contract/order-reply.ts'
import { orderWaitsFor } from '../call/messages.ts'
import { eventOf, type Order } from './order.ts'
import type { OrderPhase } from './order-moves.ts'

/** An order as game servers and operators see it. Dates are ISO-8601, UTC. */
export interface DescribedOrder {
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number | null
  readonly buyerCharacterRef: string | null
  readonly sellerCharacterRef: string | null
  readonly paidAt: string | null
  readonly state: Exclude<OrderPhase, 'ended'>
  /** What the game server replied; null where it reports by itself, or did not reply yet. */
  readonly result: OrderResult | null
  readonly receivedAt: string
  readonly since: string
  readonly offers: number
  readonly retryAt: string | null
  /** One sentence for people. */
  readonly waitsFor: string
}

/** An open order, as `orders.open` and `market-agent orders` show it. */
export function describeOrder(order: Order): DescribedOrder {
  const { transactionId, itemRef, phase, result, receivedAtMs, sinceMs, offers, retryAtMs } = order
  const ordered = eventOf(order)
  const state = phase === 'ended' ? 'closed' : phase
  return {
    transactionId,
    itemRef,
    quantity: ordered?.quantity ?? null,
    buyerCharacterRef: ordered?.buyerCharacterRef ?? null,
    sellerCharacterRef: ordered?.sellerCharacterRef ?? null,
    paidAt: ordered?.paidAt ?? null,
    state,
    result,
    receivedAt: new Date(receivedAtMs).toISOString(),
    since: new Date(sinceMs).toISOString(),
    offers,
    retryAt: retryAtMs === null ? null : new Date(retryAtMs).toISOString(),
    waitsFor: orderWaitsFor[state],
  }
}

/** A closed one, with how it ended, and what the platform accepted through this agent. */
export function describeClosedOrder(
  order: Order,
): DescribedOrder & { readonly outcome: string | null; readonly reported: OrderResult | null } {
  return { ...describeOrder(order), outcome: order.outcome, reported: order.reported }
}
