import type { Order } from './order.ts'

/**
 * One change: from what the ledger knows to what it is to know.
 *
 * @returns undefined, or the same object, to leave it; null to remove it.
 */
export type OrderChange = (known: Order | undefined) => Order | null | undefined

export interface ChangeOptions {
  /** What the change survives; `power-cut` if it is left out. A power cut may undo a change that asks for `kill`. */
  readonly survives?: 'power-cut' | 'kill'
  /** A new observation of the order's item, in the same commit. It is not recorded if the change returns undefined. */
  readonly observedQuantity?: number
}

/** What a change found, and what the ledger knows after it. They are the same object if nothing changed. */
export interface Changed {
  readonly before: Order | undefined
  readonly after: Order | undefined
}

/**
 * The orders that the agent is responsible for. A narrow port, so that a store shared by several hosts can stand behind
 * it.
 */
export interface OrderLedger {
  find(transactionId: number): Promise<Order | undefined>
  /** Orders that are not closed, oldest first. */
  findOpen(): Promise<readonly Order[]>
  /** Closed transactions whose end came at or after a moment (Unix ms), oldest first. */
  findClosedSince(sinceMs: number, max: number): Promise<readonly Order[]>
  /** Transactions whose end the game server has not confirmed, oldest first. */
  findUnconfirmedEnds(): Promise<readonly Order[]>
  /**
   * Changes one transaction in one step that nothing else comes between.
   *
   * @throws {StoreFullError} There is no space. Nothing was changed.
   */
  change(transactionId: number, change: OrderChange, options?: ChangeOptions): Promise<Changed>
  /** The newest observation of an item; null where the ledger has none. */
  observationOf(itemRef: string): Promise<number | null>
  /** Notes a stock observation of an item of which the ledger knows orders. It survives kill -9. */
  observe(itemRef: string, observedQuantity: number): Promise<void>
  /**
   * Removes what was closed before a moment (Unix ms).
   *
   * @param unconfirmed Ends that nobody has confirmed: kept for a game server that is still to be told, removed where
   *   nobody confirms them.
   * @returns The transactions that were removed.
   */
  removeClosedBefore(beforeMs: number, unconfirmed: 'keep' | 'remove'): Promise<readonly number[]>
  /** @throws {StoreFullError} There is no space. */
  assertWritable(): Promise<void>
  close(): Promise<void>
}
