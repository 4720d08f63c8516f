import type { Clock } from '../clock/clock.ts'
import type { Order } from './order.ts'

/** What a ledger is told about one transaction, in one commit. */
export interface LedgerChange {
  /** undefined, or the same object, to leave it; null to remove it. */
  readonly order: Order | null | undefined
  /** A new observation of the order's item. */
  readonly observedQuantity?: number | undefined
  /** When it was made; with the change if it is left out. An older one is not noted over a newer one. */
  readonly observedMark?: number | undefined
  /** What the change survives; `power-cut` if it is left out. A power cut may undo a change that asks for `kill`. */
  readonly survives?: 'power-cut' | 'kill' | undefined
}

/** What is known about a transaction after a change. */
export interface Changed {
  readonly order: Order | undefined
  /** Whether this agent hands it over. */
  readonly isOurs: boolean
}

/** Called after another agent has changed a transaction, or has left it to this one. `isOurs`: this agent hands it over. */
export type OthersListener = (transactionId: number, order: Order | undefined, isOurs: boolean) => void

/** What the game server has of an item. */
export interface KnownObservation {
  readonly quantity: number
  /** Drawn when it was made: a later observation has a larger one. Compare it only with those of the same process. */
  readonly mark: number
}

/**
 * The orders of a game server. Behind this port is a file of this agent, or a store that it shares with others. Then each
 * transaction is handed over by one living agent of its world.
 */
export interface OrderLedger {
  /** The order of a transaction, as a power cut leaves it. */
  find(transactionId: number): Promise<Order | undefined>
  /** Orders that are not over, oldest first. */
  findOpen(): Promise<readonly Order[]>
  /** Open transactions of every world that shares the store, by world, oldest first. */
  findOpenInWorlds(): Promise<readonly { readonly world: string; readonly order: Order }[]>
  /** Transactions that ended at or after a moment (Unix ms), oldest first. */
  findOverSince(sinceMs: number, max: number): Promise<readonly Order[]>
  /**
   * Everything that this agent is to hand over, from now on also what no living agent of its world hands over: first the
   * orders, then the terminal events that the game server has not confirmed; oldest first.
   */
  adopt(): Promise<readonly Order[]>
  /** Tells about the changes of other agents; never where there is no other one. */
  onOthers(listener: OthersListener): void
  /**
   * Changes one transaction in one step that nothing else comes between. The changes of one transaction resolve in the
   * order in which they were made. An end gets its place by `afterEarlierEnds`.
   *
   * @throws {StoreFullError} There is no space. Nothing was changed.
   */
  change(transactionId: number, change: (known: Order | undefined) => LedgerChange): Promise<Changed>
  /** The newest observation of an item; null where the ledger has none. */
  observationOf(itemRef: string): Promise<KnownObservation | null>
  /** Draws the mark of an observation that is made at the moment of the call, of any item. */
  drawMark(): Promise<number>
  /**
   * Notes a stock observation of an item of which the ledger knows orders, unless a newer one is known. It survives kill -9.
   *
   * @param ifAway `later`: if the store is away, this throws, and is done when the store is back.
   */
  observe(itemRef: string, observed: KnownObservation, ifAway?: 'refuse' | 'later'): Promise<Observed>
  /** Removes what was closed before a moment (Unix ms), and returns which transactions. */
  removeClosedBefore(beforeMs: number): Promise<readonly number[]>
  close(): Promise<void>
}

/** An observation that was to be noted. */
export interface Observed {
  /** False if a newer one is known. */
  readonly isNoted: boolean
  /** Resolves when a power cut can no longer take it back. If a newer one is known, the same is true of that one. */
  readonly durable: Promise<void>
}

/** What the ledger needs. */
export interface LedgerOptions {
  /** Only the caller may own it. */
  readonly stateDir: string
  readonly clock: Clock
  /** Called when orders cannot be recorded from now on, because there is no space; without a cause when that ends. */
  readonly onFull: (cause: Error | undefined) => void
  /** Called when the ledger fails for another reason. The agent must stop rather than guess. */
  readonly onFatal: (error: Error) => void
}

/**
 * Opens the ledger of a state directory.
 *
 * @throws {StoreUnusableError} It is damaged, newer, or another program's. It stays untouched.
 * @throws {LockedError} Another program has it open.
 * @throws {DirUnusableError} There is no space, or no right to it. It may be healthy.
 */
export type OpenLedger = (options: LedgerOptions) => Promise<OrderLedger>
