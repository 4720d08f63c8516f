import { orderWaitsFor } from '../call/messages.ts'
import { eventOf, type Order } from './order.ts'

/**
 * An open order, as game servers and operators see it: `orders.open` and `market-agent orders` show it. Dates are ISO-8601,
 * UTC. `offers`: how often it was offered. `result`: what the game server replied; null where it reports by itself, or did
 * not reply yet. `waitsFor`: one sentence for people.
 */
export function describeOrder(order: Order) {
  const { transactionId, itemRef, phase, result, receivedAtMs, sinceMs, offers, retryAtMs } = order
  const { quantity = null, buyerCharacterRef = null, sellerCharacterRef = null, paidAt = null } = eventOf(order) ?? {}
  const state = phase === 'ended' ? 'closed' : phase
  return {
    ...{ transactionId, itemRef, quantity, buyerCharacterRef, sellerCharacterRef, paidAt, state, result },
    receivedAt: new Date(receivedAtMs).toISOString(),
    since: new Date(sinceMs).toISOString(),
    offers,
    retryAt: retryAtMs === null ? null : new Date(retryAtMs).toISOString(),
    waitsFor: orderWaitsFor[state],
  }
}

/** A closed one, with how it ended, and what the platform accepted through this agent. */
export function describeClosedOrder(order: Order) {
  return { ...describeOrder(order), outcome: order.outcome, reported: order.reported }
}
