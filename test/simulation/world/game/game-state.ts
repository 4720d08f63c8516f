/** What the game server says about an order. */
export type Result = 'DELIVERED' | 'OUT_OF_STOCK' | 'TEMPORARY'

/** An order that the game server has decided. */
export interface DecidedOrder {
  readonly itemRef: string
  readonly quantity: number
  readonly result: Result
  /** The file by which it came, if it came by a file. */
  readonly name?: string | undefined
  /** The platform has the result, or needs it no more. Only for a game server that reports by itself. */
  readonly isReported?: boolean
  /** A fault of the game server has lost it before it was reported. It decides again when the order is offered again. */
  readonly isLost?: boolean
  /** The game server has heard how the transaction ended. An end that is listed before its terminal event comes has no outcome. */
  readonly hasOutcome?: boolean
}

/** An item that the platform knows. */
export interface ListedItem {
  /** `in-doubt`: nobody repeats its registration, and the first stock shows whether the platform knows it. */
  registration: 'none' | 'in-doubt' | 'known'
  isWithdrawn: boolean
  isToReport: boolean
  /** The platform was told once what can be sold now. It is not told again, although it refused. */
  isGivenUp: boolean
  /** The order whose reply is all that says what can be sold now. The platform may not get the agent's answer to it. */
  saidInReplyTo?: number | undefined
  /** How often another number could be sold, or the same for another reason. It is a newer one each time. */
  changes: number
  /** The last change that must be reported: no reply to an order has said it. */
  changeToReport: number
}

/** An item that is about to be offered. */
export function newListedItem(): ListedItem {
  return { registration: 'none', isWithdrawn: false, isToReport: true, isGivenUp: false, changes: 0, changeToReport: 0 }
}

/** Whether the game server sells an item on the platform, as far as it knows. */
export function isForSale(item: ListedItem | undefined): item is ListedItem {
  return item !== undefined && item.registration !== 'none' && !item.isWithdrawn
}

/** What a game server keeps: the smallest world that the guide asks for. It is saved whole, as one JSON text. */
export interface GameState {
  /** Units of each item that the seller has not sold. */
  readonly stock: Record<string, number>
  readonly orders: Record<string, DecidedOrder>
  /** How often an item was put into a mailbox, by transaction. */
  readonly given: Record<string, number>
  /** Items that the platform knows, and what is still to be said about each. */
  readonly items: Record<string, ListedItem>
  /** Purchases that were written as files. */
  readonly written: Record<string, true>
}

/** A game server on its first day. */
export function newGameState(): GameState {
  return { stock: {}, orders: {}, given: {}, items: {}, written: {} }
}

/** An order as an event, a file or `orders.open` has it. */
export interface OfferedOrder {
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number
}

/** What the game server replies. */
export interface OrderReply {
  readonly observedQuantity: number
  /** Left out by a game server that reports by itself. */
  readonly result?: Result | undefined
  readonly detail?: string | undefined
}

/** Units that may still be sold: without those that are set aside for orders that come again. */
export function left({ stock, orders }: GameState, itemRef: string): number {
  let units = stock[itemRef] ?? 0
  for (const order of Object.values(orders))
    if (order.itemRef === itemRef && order.result === 'TEMPORARY') units -= order.quantity
  return Math.max(0, units)
}

/** Whether units of an item are set aside for an order that comes again. */
export function hasUnitsSetAside({ orders }: GameState, itemRef: string): boolean {
  return Object.values(orders).some((order) => order.itemRef === itemRef && order.result === 'TEMPORARY')
}

/** How the platform learns a stock, if not by a call of the game server: the agent reports it until it is accepted, or answers it once. */
export type SaidBy = 'report' | { readonly replyTo: number }

/** The platform must be told about each item of which another number can be sold now. @param saidBy How it is told anyway. */
export function noteStockChanges(before: GameState, next: GameState, saidBy: SaidBy | undefined): void {
  for (const [itemRef, item] of Object.entries(next.items)) {
    if (left(before, itemRef) === left(next, itemRef) && !isPutOffNoMore(before, next, itemRef)) continue
    item.changes++
    item.saidInReplyTo = typeof saidBy === 'object' ? saidBy.replyTo : undefined
    if (saidBy === undefined) {
      item.isToReport = true
      item.changeToReport = item.changes
    }
    item.isGivenUp = false
  }
}

/** Whether an order is decided otherwise that was put off. Perhaps no `TEMPORARY` report of it was accepted, so the stock is said again. */
function isPutOffNoMore(before: GameState, next: GameState, itemRef: string): boolean {
  return Object.entries(before.orders).some(
    ([id, order]) =>
      order.itemRef === itemRef && order.result === 'TEMPORARY' && next.orders[id]?.result !== 'TEMPORARY',
  )
}

/** The handler of the guide, on a state that is saved before the reply leaves. @param canGive False: the mailbox is full. */
export function handle(state: GameState, order: OfferedOrder, canGive: boolean, name?: string): void {
  const { transactionId, itemRef, quantity } = order
  const known = state.orders[transactionId]
  if (known && known.result !== 'TEMPORARY' && !known.isLost) return
  delete state.orders[transactionId]
  const result =
    !canGive || !(itemRef in state.stock) ? 'TEMPORARY' : left(state, itemRef) < quantity ? 'OUT_OF_STOCK' : 'DELIVERED'
  if (result === 'DELIVERED') {
    state.stock[itemRef] = (state.stock[itemRef] ?? 0) - quantity
    state.given[transactionId] = (state.given[transactionId] ?? 0) + 1
  }
  state.orders[transactionId] = { itemRef, quantity, result, name }
}

/** A transaction that is over. */
interface End {
  readonly transactionId: number
  readonly itemRef: string
  readonly outcome?: string | null
}

/** A terminal event: what was set aside is free again, and an order that is still under way gives nothing. */
export function end(state: GameState, { transactionId, itemRef, outcome = null }: End): void {
  const known = state.orders[transactionId]
  const hasOutcome = outcome !== null || known?.hasOutcome === true
  state.orders[transactionId] =
    known && known.result !== 'TEMPORARY'
      ? { ...known, isReported: true, hasOutcome }
      : { itemRef, quantity: 0, result: 'OUT_OF_STOCK', isReported: true, hasOutcome }
}

/** The platform has accepted a result. */
export function noteReport(state: GameState, transactionId: string, result: Result): void {
  const known = state.orders[transactionId]
  // It may have been decided again since the report left.
  if (known?.result === result) state.orders[transactionId] = { ...known, isReported: true }
}

/** The reply to an order that is decided. */
export function replyTo(
  state: GameState,
  { transactionId, itemRef }: OfferedOrder,
): OrderReply & { readonly result: Result } {
  const result = state.orders[transactionId]?.result
  if (!result) throw new Error(`order ${transactionId} is not decided`)
  return { observedQuantity: left(state, itemRef), result }
}
