import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { DatabaseWriter } from '../database/database-writer.ts'
import { type DatabaseKind, openDatabase } from '../database/open-database.ts'
import { cures } from '../language/cures.ts'
import type { Order } from './order.ts'
import type { ChangeOptions, OrderLedger } from './order-ledger.ts'

/** Columns of `orders`, in the order in which the statements name them, each with the field that it holds. */
const columns = {
  transaction_id: 'transactionId',
  item_ref: 'itemRef',
  order_text: 'orderText',
  phase: 'phase',
  generation: 'generation',
  is_unacknowledged: 'isUnacknowledged',
  received_at_ms: 'receivedAtMs',
  since_ms: 'sinceMs',
  offers: 'offers',
  retry_at_ms: 'retryAtMs',
  result: 'result',
  detail: 'detail',
  is_temporary_left: 'isTemporaryLeft',
  unknown_since_ms: 'unknownSinceMs',
  reported: 'reported',
  outcome: 'outcome',
  end_text: 'endText',
  is_end_confirmed: 'isEndConfirmed',
} as const satisfies Record<string, keyof Order>

const flags: ReadonlySet<string> = new Set(['is_unacknowledged', 'is_temporary_left', 'is_end_confirmed'])
const schemaVersion = 2

/** The tables of an empty database. */
const schema = `
  CREATE TABLE orders (
    transaction_id INTEGER PRIMARY KEY,
    item_ref TEXT NOT NULL,
    order_text TEXT,
    phase TEXT NOT NULL,
    generation INTEGER NOT NULL,
    is_unacknowledged INTEGER NOT NULL,
    received_at_ms REAL NOT NULL,
    since_ms REAL NOT NULL,
    offers INTEGER NOT NULL,
    retry_at_ms REAL,
    result TEXT,
    detail TEXT,
    is_temporary_left INTEGER NOT NULL,
    unknown_since_ms REAL,
    reported TEXT,
    outcome TEXT,
    end_text TEXT,
    is_end_confirmed INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX orders_open ON orders (received_at_ms, transaction_id) WHERE phase != 'closed';
  CREATE INDEX orders_closed ON orders (since_ms, transaction_id) WHERE phase = 'closed';
  CREATE INDEX orders_unconfirmed ON orders (since_ms, transaction_id)
    WHERE end_text IS NOT NULL AND is_end_confirmed = 0;
  CREATE INDEX orders_by_item ON orders (item_ref);
  CREATE TABLE observations (item_ref TEXT PRIMARY KEY, observed_quantity INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

/**
 * Version 1 had no results, and kept the observation of an item in each of its orders. `acknowledged` and `offered-again`
 * were `taken` and `offered` without a 2xx in doubt.
 */
const takeOverVersion1 = () => `
  BEGIN IMMEDIATE;
  DROP INDEX orders_by_phase;
  DROP INDEX orders_by_item;
  ALTER TABLE orders RENAME TO older_orders;
  ${schema}
  INSERT INTO orders
    SELECT transaction_id, item_ref, order_text,
      CASE phase WHEN 'acknowledged' THEN 'taken' WHEN 'offered-again' THEN 'offered' WHEN 'lost' THEN 'closed' ELSE phase END,
      generation, phase IN ('offered', 'taken'), received_at_ms, since_ms, offers, retry_at_ms,
      NULL, NULL, 0, NULL, NULL, outcome, end_text, is_end_confirmed
    FROM older_orders;
  INSERT OR REPLACE INTO observations
    SELECT item_ref, observed_quantity FROM older_orders WHERE observed_quantity IS NOT NULL;
  DROP TABLE older_orders;
  PRAGMA user_version = ${schemaVersion};
  COMMIT;
`

/** The ledger's database. */
export const ledgerDatabase: DatabaseKind = {
  fileName: 'orders.db',
  // "mkto" as a number.
  applicationId: 0x6d6b746f,
  schemaVersion,
  schema,
  takeOver: takeOverVersion1,
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
  const oldestFirst = 'ORDER BY since_ms, transaction_id'
  const findOne = db.prepare(`${select} WHERE transaction_id = ?`)
  const findOpen = db.prepare(`${select} WHERE phase != 'closed' ORDER BY received_at_ms, transaction_id`)
  const findClosed = db.prepare(`${select} WHERE phase = 'closed' AND since_ms >= ? ${oldestFirst} LIMIT ?`)
  const findUnconfirmed = db.prepare(`${select} WHERE end_text IS NOT NULL AND is_end_confirmed = 0 ${oldestFirst}`)
  const put = db.prepare(
    `INSERT OR REPLACE INTO orders (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const remove = db.prepare('DELETE FROM orders WHERE transaction_id = ?')
  const findObserved = db.prepare('SELECT observed_quantity FROM observations WHERE item_ref = ?')
  const observe = db.prepare(
    `INSERT INTO observations SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM orders WHERE item_ref = ?1)
       ON CONFLICT (item_ref) DO UPDATE SET observed_quantity = ?2`,
  )
  const removeClosed = db.prepare(
    `DELETE FROM orders WHERE phase = 'closed' AND since_ms < ?
       AND (end_text IS NULL OR is_end_confirmed = 1 OR ?) RETURNING transaction_id`,
  )
  const removeObserved = db.prepare('DELETE FROM observations WHERE item_ref NOT IN (SELECT item_ref FROM orders)')
  const find = (transactionId: number) => writer.read(() => orderOf(findOne.get(transactionId)))

  /** The last sync. What is read may have been committed just now, and counts only when it is synced. */
  let synced = Promise.resolve()
  const commit = (work: () => unknown, survives: ChangeOptions['survives'] = 'power-cut'): Promise<void> => {
    writer.commitAll(work)
    if (survives === 'power-cut') synced = writer.sync()
    return synced
  }
  const all = (query: () => Record<string, unknown>[]): Order[] => writer.read(query).map(knownOrder)

  return {
    find: async (transactionId) => find(transactionId),
    findOpen: async () => all(() => findOpen.all()),
    findClosedSince: async (sinceMs, max) => all(() => findClosed.all(sinceMs, max)),
    findUnconfirmedEnds: async () => all(() => findUnconfirmed.all()),
    async change(transactionId, change, { survives, observedQuantity } = {}) {
      const before = find(transactionId)
      const wanted = change(before)
      const isObserved = Boolean(wanted) && observedQuantity !== undefined
      if (wanted === undefined || (wanted === before && !isObserved)) {
        await synced
        return { before, after: before }
      }
      await commit(() => {
        if (wanted === null) remove.run(transactionId)
        else if (wanted !== before) put.run(...valuesOf(wanted))
        if (wanted && isObserved) observe.run(wanted.itemRef, observedQuantity)
      }, survives)
      return { before, after: wanted ?? undefined }
    },
    observationOf: async (itemRef) =>
      (writer.read(() => findObserved.get(itemRef))?.['observed_quantity'] as number | undefined) ?? null,
    async observe(itemRef, observedQuantity) {
      writer.commit(() => observe.run(itemRef, observedQuantity))
    },
    async removeClosedBefore(beforeMs, unconfirmed) {
      let removed: readonly Record<string, unknown>[] = []
      await commit(() => {
        removed = removeClosed.all(beforeMs, Number(unconfirmed === 'remove'))
        if (removed.length > 0) removeObserved.run()
      })
      return removed.map((row) => Number(row['transaction_id']))
    },
    // Each one writes a page.
    assertWritable: async () => writer.commit(() => db.exec(`PRAGMA user_version = ${schemaVersion}`)),
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
  const fields = Object.entries(columns).map(([column, field]) => [
    field,
    flags.has(column) ? row[column] === 1 : row[column],
  ])
  return Object.fromEntries(fields) as Order
}
