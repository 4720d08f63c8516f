import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { DatabaseWriter } from '../database/database-writer.ts'
import { type DatabaseKind, openDatabase } from '../database/open-database.ts'
import { cures } from '../language/cures.ts'
import type { Order } from './order.ts'
import type { OrderLedger, Survives } from './order-ledger.ts'
import { type OrderPhase, orderPhases } from './order-moves.ts'

/** Columns of `orders`, in the order in which the statements name them, each with the field that it holds. */
const columns = {
  transaction_id: 'transactionId',
  item_ref: 'itemRef',
  order_text: 'orderText',
  paid_at_ms: 'paidAtMs',
  phase: 'phase',
  generation: 'generation',
  received_at_ms: 'receivedAtMs',
  since_ms: 'sinceMs',
  offers: 'offers',
  retry_at_ms: 'retryAtMs',
  observed_quantity: 'observedQuantity',
  outcome: 'outcome',
  end_text: 'endText',
  is_end_confirmed: 'isEndConfirmed',
} as const satisfies Record<string, keyof Order>

/** Creates the table of an empty database. */
const schema = `
  CREATE TABLE orders (
    transaction_id INTEGER PRIMARY KEY,
    item_ref TEXT NOT NULL,
    order_text TEXT,
    paid_at_ms REAL NOT NULL,
    phase TEXT NOT NULL,
    generation INTEGER NOT NULL,
    received_at_ms REAL NOT NULL,
    since_ms REAL NOT NULL,
    offers INTEGER NOT NULL,
    retry_at_ms REAL,
    observed_quantity INTEGER,
    outcome TEXT,
    end_text TEXT,
    is_end_confirmed INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX orders_by_phase ON orders (phase, received_at_ms);
  CREATE INDEX orders_by_item ON orders (item_ref);
`

const closedPhases: readonly OrderPhase[] = ['closed', 'lost']
const openPhases = orderPhases.filter((phase) => !closedPhases.includes(phase))
const listed = (phases: readonly OrderPhase[]) => phases.map((phase) => `'${phase}'`).join(', ')

/** The ledger's database. */
export const ledgerDatabase: DatabaseKind = {
  fileName: 'orders.db',
  // "mkto" as a number.
  applicationId: 0x6d6b746f,
  schemaVersion: 1,
  schema,
  cureOfDamage: cures.beginLedger,
  cureOfRemoval: cures.restoreLedger,
}

/** What the ledger needs. */
interface SqliteOrderLedgerOptions {
  /** The caller must own it alone. */
  readonly stateDir: string
  /** Called when the ledger fails for another reason than a full disk. The agent must stop rather than guess. */
  readonly onFatal: (error: Error) => void
}

/**
 * Keeps orders through kill -9 and power cuts, in `orders.db` of the state directory. Each change is one commit.
 *
 * @throws As `openDatabase`.
 */
export function openSqliteOrderLedger({ stateDir, onFatal }: SqliteOrderLedgerOptions): OrderLedger {
  const { fileName, cureOfRemoval } = ledgerDatabase
  const path = join(stateDir, fileName)
  return openDatabase(ledgerDatabase, stateDir, (db) =>
    ledgerOf(db, new DatabaseWriter(db, { path, cureOfRemoval, onFatal })),
  )
}

/**
 * Open orders in the ledger of a state directory with which no other ledger works; 0 where there is none.
 *
 * @throws As `openDatabase`.
 */
export async function countOpenOrders(stateDir: string): Promise<number> {
  if (!existsSync(join(stateDir, ledgerDatabase.fileName))) return 0
  const ledger = openSqliteOrderLedger({ stateDir, onFatal: () => undefined })
  try {
    return (await ledger.findOpen()).length
  } finally {
    await ledger.close()
  }
}

function ledgerOf(db: DatabaseSync, writer: DatabaseWriter): OrderLedger {
  const names = Object.keys(columns)
  const select = `SELECT ${names.join(', ')} FROM orders`
  const findOne = db.prepare(`${select} WHERE transaction_id = ?`)
  const findOpen = db.prepare(
    `${select} WHERE phase IN (${listed(openPhases)}) ORDER BY received_at_ms, transaction_id`,
  )
  const findClosed = db.prepare(
    `${select} WHERE phase IN (${listed(closedPhases)}) AND since_ms >= ? ORDER BY since_ms, transaction_id`,
  )
  const findUnconfirmed = db.prepare(
    `${select} WHERE end_text IS NOT NULL AND is_end_confirmed = 0 ORDER BY since_ms, transaction_id`,
  )
  const put = db.prepare(
    `INSERT OR REPLACE INTO orders (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const findObserved = db.prepare(
    'SELECT observed_quantity FROM orders WHERE item_ref = ? AND observed_quantity IS NOT NULL LIMIT 1',
  )
  const observe = db.prepare(`UPDATE orders SET observed_quantity = ? WHERE item_ref = ?`)
  const removeClosed = db.prepare(
    `DELETE FROM orders WHERE phase IN (${listed(closedPhases)}) AND since_ms < ?
       AND (end_text IS NULL OR is_end_confirmed = 1 OR ?) RETURNING transaction_id`,
  )
  const find = (transactionId: number) => writer.read(() => orderOf(findOne.get(transactionId)))
  const observationOf = (itemRef: string) =>
    (writer.read(() => findObserved.get(itemRef))?.['observed_quantity'] as number | undefined) ?? null

  /** The last sync. What is read may have been committed just now, and counts only when it is synced. */
  let synced = Promise.resolve()
  const commit = (work: () => unknown, survives: Survives = 'power-cut'): Promise<void> => {
    writer.commitAll(work)
    if (survives === 'power-cut') synced = writer.sync()
    return synced
  }
  const all = (query: () => Record<string, unknown>[]): Order[] => writer.read(query).map(knownOrder)

  return {
    find: async (transactionId) => find(transactionId),
    findOpen: async () => all(() => findOpen.all()),
    findClosedSince: async (sinceMs) => all(() => findClosed.all(sinceMs)),
    findUnconfirmedEnds: async () => all(() => findUnconfirmed.all()),
    async change(transactionId, change, survives) {
      const known = find(transactionId)
      const order = change(known, observationOf)
      if (order === undefined || order === known) {
        await synced
        return known
      }
      const { itemRef, observedQuantity } = order
      // Every order of the item may be written then.
      const isObserved = observedQuantity !== null && observedQuantity !== observationOf(itemRef)
      await commit(() => {
        put.run(...valuesOf(order))
        if (isObserved) observe.run(observedQuantity, itemRef)
      }, survives)
      return order
    },
    async observe(itemRef, observedQuantity) {
      writer.commit(() => observe.run(observedQuantity, itemRef))
    },
    async removeClosedBefore(beforeMs, unconfirmed) {
      let removed: readonly Record<string, unknown>[] = []
      await commit(() => {
        removed = removeClosed.all(beforeMs, Number(unconfirmed === 'remove'))
      })
      return removed.map((row) => Number(row['transaction_id']))
    },
    async close() {
      await writer.close()
      db.close()
    },
  }
}

function valuesOf(order: Order): SQLInputValue[] {
  return Object.values(columns).map((field) => {
    const value = order[field]
    return typeof value === 'boolean' ? Number(value) : value
  })
}

function orderOf(row: Record<string, unknown> | undefined): Order | undefined {
  return row && knownOrder(row)
}

function knownOrder(row: Record<string, unknown>): Order {
  const fields = Object.entries(columns).map(([column, field]) => [field, row[column]])
  return { ...Object.fromEntries(fields), isEndConfirmed: row['is_end_confirmed'] === 1 } as Order
}
