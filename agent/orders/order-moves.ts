/**
 * The life of one order in the ledger.
 *
 * - `received`: the platform sent it. Whether it waits for this game server is not known yet, so nothing is handed over.
 * - `offered`: the platform was asked and waits. The agent hands the order over, each time on an answer that is fresh.
 * - `taken`: the game server has it durably and reports by itself.
 * - `reporting`: the game server replied with a result. The agent reports it until the platform accepts it.
 * - `put-off`: the platform accepted `TEMPORARY`. The next order of the transaction is a new one.
 * - `ended`: it is over, and the game server must still get the terminal event.
 * - `closed`: it is over.
 */
export const orderPhases = ['received', 'offered', 'taken', 'reporting', 'put-off', 'ended', 'closed'] as const
export type OrderPhase = (typeof orderPhases)[number]

/** What can happen to an order. */
export const orderTriggers = [
  /** The platform sent its `transfer_order` again, and the stored reply may not have reached the platform. */
  'receive',
  /** As `receive`, but the platform had our 2xx, or a `TEMPORARY` report may have arrived: it is a new transfer. */
  'receive-anew',
  /** The platform was asked and waits for the game server. */
  'await',
  /** The game server has it durably and reports by itself. */
  'take',
  /** The game server has it durably and replied with a result. */
  'resolve',
  /** The platform accepted `TEMPORARY`. */
  'put-off',
  /** The platform sent the terminal event and confirmed it. */
  'end',
  /** The platform says that it is over, or the game server has the terminal event. */
  'close',
] as const
export type OrderTrigger = (typeof orderTriggers)[number]

/** The phase after a trigger, and whether the order begins a new generation there. */
interface OrderMove {
  readonly to: OrderPhase
  /** A reply to an earlier offer does not answer this one. */
  readonly isNewGeneration?: true
}

const receivedAnew: OrderMove = { to: 'received', isNewGeneration: true }
const offeredAnew: OrderMove = { to: 'offered', isNewGeneration: true }
const over = { end: { to: 'ended' }, close: { to: 'closed' } } as const

/**
 * Every move of an order. A trigger that is not named in a phase is refused there and changes nothing.
 *
 * Three rules shape the table. Nothing is offered only because of a webhook. Forward when in doubt: the game server
 * may take an order twice without harm, and an order that is not forwarded is a lost sale. And no order is closed too
 * early: only a report that the platform accepted, or the platform itself, closes one.
 */
export const orderMoves: Readonly<Record<OrderPhase, Readonly<Partial<Record<OrderTrigger, OrderMove>>>>> = {
  received: {
    receive: { to: 'received' },
    'receive-anew': { to: 'received' },
    await: { to: 'offered' },
    // A copy of the order came while the report was under way.
    'put-off': { to: 'put-off' },
    ...over,
  },
  offered: {
    receive: { to: 'offered' },
    'receive-anew': { to: 'offered' },
    await: { to: 'offered' },
    take: { to: 'taken' },
    resolve: { to: 'reporting' },
    'put-off': { to: 'put-off' },
    ...over,
  },
  taken: {
    // Our 2xx may have been lost: the stored reply answers.
    receive: { to: 'taken' },
    'receive-anew': receivedAnew,
    await: offeredAnew,
    take: { to: 'taken' },
    resolve: { to: 'reporting' },
    'put-off': { to: 'put-off' },
    ...over,
  },
  reporting: {
    receive: { to: 'reporting' },
    'receive-anew': receivedAnew,
    // The report says what the platform waits for.
    await: { to: 'reporting' },
    take: { to: 'reporting' },
    resolve: { to: 'reporting' },
    'put-off': { to: 'put-off' },
    ...over,
  },
  'put-off': {
    receive: receivedAnew,
    'receive-anew': receivedAnew,
    await: offeredAnew,
    take: { to: 'put-off' },
    resolve: { to: 'reporting' },
    'put-off': { to: 'put-off' },
    ...over,
  },
  // A late copy of an order that is over: acknowledged, not offered.
  ended: { receive: { to: 'ended' }, 'receive-anew': { to: 'ended' }, ...over },
  closed: { receive: { to: 'closed' }, 'receive-anew': { to: 'closed' }, ...over },
}

/** Whether the order waits for a reply of the game server. */
export function awaitsReply(phase: OrderPhase): boolean {
  return phase === 'received' || phase === 'offered'
}

/** Whether nothing is to be delivered or reported any more. */
export function isOver(phase: OrderPhase): boolean {
  return phase === 'ended' || phase === 'closed'
}

/** The move of a trigger from a phase; undefined where it is refused. */
export function nextOrderPhase(phase: OrderPhase, trigger: OrderTrigger): OrderMove | undefined {
  return orderMoves[phase][trigger]
}
