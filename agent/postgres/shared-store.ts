import { keyOfItem } from '../call/call.ts'
import type { Listings } from '../call/listings.ts'
import type { Journal, JournalOptions } from '../call/open-journal.ts'
import type { LedgerOptions, OrderLedger } from '../orders/order-ledger.ts'
import type { Database } from './database.ts'
import { Lease, type LeaseOptions, type UnderWay } from './lease.ts'
import { OwedWrites } from './owed-writes.ts'
import { openStoreJournal } from './store-journal.ts'
import { countOpenOrders, noteStock, openStoreLedger, type StoreLedgerOptions } from './store-ledger.ts'
import { storeListings } from './store-listings.ts'
import { StoreObservations } from './store-observations.ts'
import { StoreTurns } from './store-turns.ts'

/** What one life of an agent works with in the store. */
export interface SharedStore {
  readonly lease: Lease
  readonly journal: Journal
  readonly turns: StoreTurns
  readonly listings: Listings
  readonly openLedger: (
    options: Pick<LedgerOptions, 'onFull'> & Pick<StoreLedgerOptions, 'onUnregistered'>,
  ) => OrderLedger
  /** Open orders of the world of this agent, which hands none over. */
  readonly countOpenOrders: () => Promise<number>
  /** As `Store.noteStock`. */
  readonly noteStock: (itemRef: string, quantity: number) => Promise<void>
}

/** What it is opened with. */
export interface SharedStoreOptions
  extends Omit<LeaseOptions, 'onError' | 'underWay'>,
    Pick<JournalOptions, 'isUnanswered' | 'onFull' | 'onFatal'> {
  readonly database: Database
}

/**
 * Begins a life of an agent in the store. To close the journal ends it.
 *
 * @throws {LockedError} Another agent uses the name, or serves the world for which this one stands by.
 */
export async function openSharedStore(options: SharedStoreOptions): Promise<SharedStore> {
  const { database, clock, stateDirId, world, isUnanswered, onFull, onFatal } = options
  let underWay = (): UnderWay => ({ turns: [], ids: [] })
  const lease = await Lease.begin({
    ...options,
    underWay: () => underWay(),
    onError: (error) => onFatal(error as Error),
  })
  const owed = new OwedWrites(clock, onFatal)
  const shared = { database, clock, epoch: lease.epoch, owed }
  const stopPaying = database.listen((payload) => payload ?? void owed.pay())
  const turns = new StoreTurns(shared)
  const parts = { ...shared, turns, stateDirId, isUnanswered, onFull }
  const journal = await openStoreJournal(parts)
  underWay = () => ({ turns: turns.underWay, ids: journal.idsUnderWay() })
  const close = async () => {
    await owed.pay()
    owed.stop()
    stopPaying()
    await journal.close()
    lease.stop()
    // A statement after the end would find the life of this agent over.
    await database.drain()
    await lease.end()
  }
  const openObservations = () => new StoreObservations({ ...shared, turns })
  return {
    lease,
    turns,
    journal: { ...journal, close, openObservations },
    listings: storeListings(database, lease.epoch, owed),
    countOpenOrders: () => countOpenOrders(database, world),
    async noteStock(itemRef, quantity) {
      // Where nobody has orders of the item, nobody reads it.
      if (turns.lateOf(keyOfItem(itemRef)).hasOrders) await noteStock(database, lease.epoch, itemRef, quantity)
    },
    openLedger: (given) => openStoreLedger({ ...shared, world, ...given }),
  }
}
