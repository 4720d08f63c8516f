import { KeyQueues } from './call/key-queues.ts'
import { oneGameServer } from './call/listings.ts'
import { openSqliteJournal } from './journal/sqlite-journal.ts'
import { countOpenOrders, openSqliteOrderLedger } from './orders/sqlite-order-ledger.ts'
import type { OpenStore } from './store.ts'

/** Opens the store of an agent that shares nothing: databases in its state directory, and turns in its memory. */
export const openSqliteStore: OpenStore = async (options) => {
  const journal = openSqliteJournal(options)
  return {
    journal,
    turns: new KeyQueues(options.clock),
    listings: oneGameServer,
    openLedger: async (given) => openSqliteOrderLedger(given),
    countOpenOrders: async () => countOpenOrders(options.stateDir),
    noteStock: async () => undefined,
    mayBegin: () => true,
    reasons: [],
    readStatus: async () => null,
    // No call has an empty id.
    checkAlive: () => journal.find(''),
    close: () => journal.close(),
  }
}
