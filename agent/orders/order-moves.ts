/**
 * The life of one order in the ledger.
 *
 * - `offered`: the agent offers it to the game server until the game server takes it.
 * - `taken`: the game server has it durably. The platform may not know yet: our 2xx may have been lost.
 * - `acknowledged`: the game server has it durably, and no 2xx of ours is in doubt.
 * - `offered-again`: the platform was asked and still waits, and no 2xx of ours is in doubt. The agent offers it.
 * - `put-off`: the game server reported `TEMPORARY`. The next order of the transaction is a new one.
 * - `closed`: delivered, failed for good, or terminal.
 * - `lost`: the platform answers that it does not know the transaction.
 */
export const orderPhases = ['offered', 'taken', 'acknowledged', 'offered-again', 'put-off', 'closed', 'lost'] as const
export type OrderPhase = (typeof orderPhases)[number]

/** What can happen to an order. */
export const orderTriggers = [
  /** The platform sent its `transfer_order`, again or for the first time. */
  'receive',
  /** The platform sent a `transfer_order` with a later `paidAt`: another order under the same number. */
  'receive-newer',
  /** The game server has it durably: its reply to an offer, or `orders.take`. */
  'take',
  /** Our 2xx has left for the platform. */
  'acknowledge',
  /** The game server reports `TEMPORARY`. Applied before the report leaves, because the report may act unseen. */
  'put-off',
  /** The platform says that it still waits for the game server, and no report is due. */
  'remind',
  /** The game server delivered it, or reported it out of stock, and the platform accepted that. */
  'settle',
  /** The platform says that the transaction reached a final outcome. */
  'end',
  /** The platform does not know the transaction. */
  'lose',
] as const
export type OrderTrigger = (typeof orderTriggers)[number]

/** Where a trigger leads, and whether the order is offered as a new generation there. */
interface OrderMove {
  readonly to: OrderPhase
  /** A reply to an earlier offer does not answer this one. */
  readonly isNewGeneration?: true
}

const offeredAnew: OrderMove = { to: 'offered', isNewGeneration: true }
const offeredAgain: OrderMove = { to: 'offered-again', isNewGeneration: true }
const closed: OrderMove = { to: 'closed' }

/**
 * Every move of an order. A trigger that is not named in a phase is refused there and changes nothing.
 *
 * Two rules shape the table. Forward when in doubt: the game server may take an order twice without harm, and an order
 * that is not forwarded is a lost sale. And no order is closed too early: only a report that the platform accepted, or
 * the platform itself, closes one.
 */
export const orderMoves: Readonly<Record<OrderPhase, Readonly<Partial<Record<OrderTrigger, OrderMove>>>>> = {
  offered: {
    receive: { to: 'offered' },
    'receive-newer': offeredAnew,
    take: { to: 'taken' },
    'put-off': { to: 'put-off' },
    remind: { to: 'offered' },
    settle: closed,
    end: closed,
    lose: { to: 'lost' },
  },
  taken: {
    // Our 2xx may have been lost: the stored reply answers.
    receive: { to: 'taken' },
    'receive-newer': offeredAnew,
    take: { to: 'taken' },
    acknowledge: { to: 'acknowledged' },
    'put-off': { to: 'put-off' },
    remind: offeredAnew,
    settle: closed,
    end: closed,
    lose: { to: 'lost' },
  },
  acknowledged: {
    // The platform had our 2xx and sends the order all the same: it means a new transfer.
    receive: offeredAnew,
    'receive-newer': offeredAnew,
    take: { to: 'acknowledged' },
    acknowledge: { to: 'acknowledged' },
    'put-off': { to: 'put-off' },
    remind: offeredAgain,
    settle: closed,
    end: closed,
    lose: { to: 'lost' },
  },
  'offered-again': {
    receive: { to: 'offered' },
    'receive-newer': offeredAnew,
    // No webhook waits for this reply, so it answers none: the next one is a new order.
    take: { to: 'acknowledged' },
    'put-off': { to: 'put-off' },
    remind: { to: 'offered-again' },
    settle: closed,
    end: closed,
    lose: { to: 'lost' },
  },
  'put-off': {
    receive: offeredAnew,
    'receive-newer': offeredAnew,
    take: { to: 'put-off' },
    'put-off': { to: 'put-off' },
    remind: offeredAgain,
    settle: closed,
    end: closed,
    lose: { to: 'lost' },
  },
  closed: {
    // A late copy of an order that is over: acknowledged, not offered.
    receive: closed,
    'receive-newer': offeredAnew,
    settle: closed,
    end: closed,
  },
  // The platform changed its mind, or the answer came from elsewhere: an order that arrives is offered.
  lost: { receive: offeredAnew, 'receive-newer': offeredAnew, settle: closed, end: closed },
}

/** Whether the agent offers an order in this phase to the game server. */
export function isOffered(phase: OrderPhase): boolean {
  return phase === 'offered' || phase === 'offered-again'
}

/** Where a trigger leads from a phase; undefined where it is refused. */
export function nextOrderPhase(phase: OrderPhase, trigger: OrderTrigger): OrderMove | undefined {
  return orderMoves[phase][trigger]
}
