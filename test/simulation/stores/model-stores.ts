import type { Journal, JournalOptions } from '../../../agent/call/open-journal.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import { prepareStore } from '../../../agent/journal/open-store.ts'
import { journalDatabase } from '../../../agent/journal/schema.ts'
import { journalOver } from '../../../agent/journal/sqlite-journal.ts'
import type { Order } from '../../../agent/orders/order.ts'
import type { LedgerOptions, OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { ledgerDatabase, ledgerOver } from '../../../agent/orders/sqlite-order-ledger.ts'
import { ModelDatabase } from './model-database.ts'
import { ModelWriter, type ModelWriterParts } from './model-writer.ts'

/** A journal that no process has opened yet. @param name Without a quote. */
export function newJournalDatabase(name: string): ModelDatabase {
  return new ModelDatabase(`${journalDatabase.schema}; INSERT INTO journal (only, name) VALUES (1, '${name}')`)
}

/** A ledger that no process of the world has opened yet. @param orders What it has. No text in them has a single quote. */
export function newLedgerDatabase(orders: readonly Order[] = []): ModelDatabase {
  const rows = orders.map(
    (order) =>
      `INSERT INTO orders (transaction_id, record) VALUES (${order.transactionId}, '${JSON.stringify(order)}')`,
  )
  return new ModelDatabase([ledgerDatabase.schema, ...rows].join(';'))
}

/** The agent's own journal, over a database of the world. */
export function openModelJournal(
  options: ModelWriterParts & Pick<JournalOptions, 'clock' | 'isUnanswered' | 'onFull'>,
): Journal & RepairJournal {
  const { database } = options
  const writer = new ModelWriter(options)
  const store = writer.read(() => prepareStore(database.db, options.clock))
  database.noteCommit()
  return journalOver({ ...store, writer, ballast: writer.ballast }, options)
}

/** The agent's own ledger, over a database of the world. */
export function openModelLedger(options: ModelWriterParts & Pick<LedgerOptions, 'clock' | 'onFull'>): OrderLedger {
  return ledgerOver(options.database.db, new ModelWriter(options), options)
}
