import type { Listings } from './call/listings.ts'
import type { Journal, JournalOptions } from './call/open-journal.ts'
import type { Turns } from './call/turn.ts'
import type { OpenLedger } from './orders/order-ledger.ts'

/** How a store is that agents share. */
export interface SharedStoreStatus {
  /** Whether it can be asked. */
  readonly up: boolean
  /** For how long this agent may still act without renewing its lease, in seconds. */
  readonly leaseS: number
  readonly agent: string
  readonly world: string
  /** Those that are alive, this one included; null while the store cannot be asked. */
  readonly agents: readonly { readonly name: string; readonly world: string }[] | null
}

/** Everything that an agent keeps, in its state directory or in a store that it shares. Only the opener knows which. */
export interface Store {
  readonly journal: Journal
  readonly turns: Turns
  readonly listings: Listings
  readonly openLedger: OpenLedger
  /** Open orders in a ledger that this agent does not open; 0 where there is none. */
  countOpenOrders(): Promise<number>
  /**
   * A stock leaves this agent, which opens no ledger and has the turn of the item. The agents that share the store then know
   * that it is the newest.
   *
   * @throws {StoreFullError} It could not be noted. The call must not be sent.
   * @throws {StoreUnreachableError} The same.
   */
  noteStock(itemRef: string, quantity: number): Promise<void>
  /**
   * Whether this agent is certainly still the one that may act: an attempt of a call with an id or a key may begin, and an
   * order may be handed over.
   */
  mayBegin(): boolean
  /** Why calls are refused, each with its cure. */
  readonly reasons: readonly string[]
  /** Null for a store that is not shared. */
  readStatus(): Promise<SharedStoreStatus | null>
  /** Resolves when the store answers, or cannot. Rejects if only a new process can mend it. */
  checkAlive(): Promise<unknown>
  /** The ledger is closed before. */
  close(): Promise<void>
}

/** What a store needs. */
export interface StoreOptions extends JournalOptions {
  /** How long an attempt of this agent may reach the platform after it began, in ms. */
  readonly attemptLifetimeMs: number
}

/**
 * Opens the store of an agent that owns its state directory.
 *
 * @throws {StoreUnusableError} It is not ours, damaged, or of a newer version.
 * @throws {LockedError} Another agent uses it, or has the name of this one.
 * @throws {DirUnusableError} It cannot be reached or written.
 * @throws {StoreUnreachableError} It is on another host and cannot be asked.
 */
export type OpenStore = (options: StoreOptions) => Promise<Store>
