import type { Order } from './order.ts'

export type OrderChange = (
  known: Order | undefined,
  observationOf: (itemRef: string) => number | null,
) => Order | undefined

/** What a change survives. Each one survives kill -9. */
export type Survives = 'power-cut' | 'kill'

/**
 * The orders that the agent is responsible for. A narrow port, so that a store shared by several hosts can stand behind
 * it. A change counts when it survives a power cut, but for those that ask for less.
 */
export interface OrderLedger {
  find(transactionId: number): Promise<Order | undefined>
  /** Orders that are not closed, oldest first. */
  findOpen(): Promise<readonly Order[]>
  /** Closed transactions whose end came at or after a moment (Unix ms), oldest first. */
  findClosedSince(sinceMs: number): Promise<readonly Order[]>
  /** Transactions whose end the game server has not confirmed, oldest first. */
  findUnconfirmedEnds(): Promise<readonly Order[]>
  /**
   * Changes one transaction in one step that nothing else comes between. A new observation counts for every order of its
   * item.
   *
   * @param change Gets what the ledger knows, and reads the newest observation of an item, null where no order has one.
   *   Returns what the ledger shall know, or undefined to leave it.
   * @param survives `power-cut` if it is left out. A power cut may undo a change that asks for `kill`, until the next
   *   change is synced.
   * @returns What the ledger knows afterwards. A power cut cannot undo the changes before this one any more.
   * @throws {StoreFullError} There is no space. Nothing was changed.
   */
  change(transactionId: number, change: OrderChange, survives?: Survives): Promise<Order | undefined>
  /**
   * Notes a stock observation for every order of the item. It survives kill -9 and may be lost in a power cut: then an
   * older observation is reported.
   */
  observe(itemRef: string, observedQuantity: number): Promise<void>
  /**
   * Removes what was closed before a moment (Unix ms).
   *
   * @param unconfirmed Ends that nobody has confirmed: kept for a game server that is still to be told, removed where
   *   nobody confirms them.
   * @returns The transactions that were removed.
   */
  removeClosedBefore(beforeMs: number, unconfirmed: 'keep' | 'remove'): Promise<readonly number[]>
  close(): Promise<void>
}
