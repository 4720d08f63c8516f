import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { DatabaseWriter, type Writer } from '../database/database-writer.ts'
import { type DatabaseKind, openDatabase } from '../database/open-database.ts'
import { storeRoom } from '../database/room.ts'
import { cures } from '../language/cures.ts'
import { takeOverEarlierLedger } from './earlier-ledgers.ts'
import { afterEarlierEnds, isEnd, type Order } from './order.ts'
import type { LedgerOptions, OrderLedger } from './order-ledger.ts'

const schemaVersion = 3

/** The tables of an empty database. A record is an `Order`, JSON. */
const schema = `
  CREATE TABLE orders (
    transaction_id INTEGER PRIMARY KEY,
    record TEXT NOT NULL,
    phase TEXT NOT NULL AS (record ->> 'phase'),
    item_ref TEXT NOT NULL AS (record ->> 'itemRef'),
    received_at_ms REAL NOT NULL AS (record ->> 'receivedAtMs'),
    since_ms REAL NOT NULL AS (record ->> 'sinceMs')
  ) STRICT;
  CREATE INDEX orders_open ON orders (received_at_ms, transaction_id) WHERE phase NOT IN ('ended', 'closed');
  CREATE INDEX orders_over ON orders (since_ms, transaction_id) WHERE phase IN ('ended', 'closed');
  CREATE INDEX orders_ended ON orders (since_ms, transaction_id) WHERE phase = 'ended';
  CREATE INDEX orders_by_item ON orders (item_ref);
  CREATE TABLE IF NOT EXISTS observations
    (item_ref TEXT PRIMARY KEY, observed_quantity INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

/** A mark is needed while a report is under way. */
const marksMax = 10_000

/** The ledger's database. */
export const ledgerDatabase: DatabaseKind = {
  fileName: 'orders.db',
  // "mkto" as a number.
  applicationId: 0x6d6b746f,
  schemaVersion,
  schema,
  takeOver: (version) => takeOverEarlierLedger(version, schema, schemaVersion),
  cureOfDamage: cures.beginLedger,
  cureOfRemoval: cures.restoreLedger,
}

/**
 * Keeps orders through kill -9 and power cuts, in `orders.db` of the state directory. Each change is one commit.
 *
 * @throws As `openDatabase`.
 */
export function openSqliteOrderLedger({ stateDir, onFatal, ...options }: LedgerOptions): OrderLedger {
  const path = join(stateDir, ledgerDatabase.fileName)
  const { cureOfRemoval } = ledgerDatabase
  return openDatabase(ledgerDatabase, stateDir, (db) =>
    ledgerOver(db, new DatabaseWriter(db, { path, cureOfRemoval, onFatal }), options),
  )
}

/**
 * Open orders in the ledger of a state directory with which no other ledger works; 0 where there is none.
 *
 * @throws As `openDatabase`.
 */
export function countOpenOrders(stateDir: string): number {
  if (!existsSync(join(stateDir, ledgerDatabase.fileName))) return 0
  return openDatabase(ledgerDatabase, stateDir, (opened) => {
    using db = opened
    const open = db.prepare(`SELECT count(*) AS count FROM orders WHERE phase NOT IN ('ended', 'closed')`).get()
    return Number(open?.['count'])
  })
}

/** The ledger over its database. @param db Statements are made for it, and the writer runs them. */
export function ledgerOver(
  db: DatabaseSync,
  writer: Writer,
  { clock, onFull }: Pick<LedgerOptions, 'clock' | 'onFull'>,
): OrderLedger {
  const oldestFirst = 'ORDER BY since_ms, transaction_id'
  const findOne = db.prepare('SELECT record FROM orders WHERE transaction_id = ?')
  const findOpen = db.prepare(
    `SELECT record FROM orders WHERE phase NOT IN ('ended', 'closed') ORDER BY received_at_ms, transaction_id`,
  )
  const findOver = db.prepare(
    `SELECT record FROM orders WHERE phase IN ('ended', 'closed') AND since_ms >= ? ${oldestFirst} LIMIT ?`,
  )
  const findNewestEnd = db.prepare(`SELECT max(since_ms) AS since_ms FROM orders WHERE phase IN ('ended', 'closed')`)
  const findEnded = db.prepare(`SELECT record FROM orders WHERE phase = 'ended' ${oldestFirst}`)
  const put = db.prepare('INSERT OR REPLACE INTO orders (transaction_id, record) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM orders WHERE transaction_id = ?')
  const findObserved = db.prepare('SELECT observed_quantity FROM observations WHERE item_ref = ?')
  const observe = db.prepare(
    `INSERT INTO observations SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM orders WHERE item_ref = ?1)
       ON CONFLICT (item_ref) DO UPDATE SET observed_quantity = ?2`,
  )
  const removeClosed = db.prepare(`DELETE FROM orders WHERE phase = 'closed' AND since_ms < ? RETURNING transaction_id`)
  const forget = db.prepare(
    'DELETE FROM observations WHERE item_ref = ?1 AND NOT EXISTS (SELECT 1 FROM orders WHERE item_ref = ?1)',
  )
  const removeObserved = db.prepare('DELETE FROM observations WHERE item_ref NOT IN (SELECT item_ref FROM orders)')
  const marks = new LRUCache<string, number>({ max: marksMax })
  let newestMark = 0
  // Writes a page.
  const touch = () => writer.commit(() => db.exec(`PRAGMA user_version = ${schemaVersion}`))
  const room = storeRoom({ clock, tryToWrite: touch, onChange: onFull })

  /** The last sync. A row that is read may have been committed just now and counts only when it is synced. */
  let synced = Promise.resolve()
  const commit = (work: () => unknown): void => room.commit(() => void writer.commitAll(work))
  const all = (query: () => Record<string, unknown>[]): Order[] => writer.read(query).map(orderOf)
  const newestEndMs = () => (writer.read(() => findNewestEnd.get())?.['since_ms'] as number | null) ?? null
  const find = (transactionId: number): Order | undefined => all(() => findOne.all(transactionId))[0]

  return {
    async find(transactionId) {
      const order = find(transactionId)
      // A webhook is acknowledged because of what is found.
      await synced
      return order
    },
    findOpen: async () => all(() => findOpen.all()),
    findOpenInWorlds: async () => all(() => findOpen.all()).map((order) => ({ world: '', order })),
    findOverSince: async (sinceMs, max) => all(() => findOver.all(sinceMs, max)),
    adopt: async () => all(() => [...findOpen.all(), ...findEnded.all()]),
    onOthers: () => undefined,
    async change(transactionId, change) {
      const before = find(transactionId)
      const { order: wanted, observedQuantity, observedMark, survives } = change(before)
      const order = wanted && isEnd(before, wanted) ? afterEarlierEnds(wanted, newestEndMs()) : wanted
      if (order !== undefined && (order !== before || observedQuantity !== undefined)) {
        const mark = observedMark ?? ++newestMark
        const isNoted = order !== null && observedQuantity !== undefined && (marks.get(order.itemRef) ?? 0) <= mark
        commit(() => {
          if (order === null) remove.run(transactionId)
          else if (order !== before) {
            // No stock of an item is noted while it has no order, so the noted one is old.
            forget.run(order.itemRef)
            put.run(transactionId, JSON.stringify(order))
          }
          if (order && isNoted) observe.run(order.itemRef, observedQuantity)
        })
        // After the commit: one that failed has noted nothing.
        if (order && isNoted) marks.set(order.itemRef, mark)
        room.report(undefined)
        if (survives !== 'kill') synced = writer.sync()
      }
      await synced
      return { order: order === undefined ? before : (order ?? undefined), isOurs: true }
    },
    async observationOf(itemRef) {
      const row = writer.read(() => findObserved.get(itemRef))
      return row ? { quantity: Number(row['observed_quantity']), mark: marks.get(itemRef) ?? 0 } : null
    },
    drawMark: async () => ++newestMark,
    async observe(itemRef, { quantity, mark }) {
      // The newer one may have been committed just now.
      if ((marks.get(itemRef) ?? 0) > mark) return { isNoted: false, durable: writer.sync() }
      let hasOrders = false
      commit(() => {
        hasOrders = observe.run(itemRef, quantity).changes > 0
      })
      if (hasOrders) marks.set(itemRef, mark)
      return { isNoted: true, durable: hasOrders ? writer.sync() : Promise.resolve() }
    },
    async removeClosedBefore(beforeMs) {
      let removed: readonly Record<string, unknown>[] = []
      commit(() => {
        removed = removeClosed.all(beforeMs)
        if (removed.length > 0) removeObserved.run()
      })
      await writer.sync()
      return removed.map((row) => Number(row['transaction_id']))
    },
    async close() {
      room.close()
      await writer.close()
    },
  }
}

function orderOf(row: Record<string, unknown>): Order {
  return JSON.parse(String(row['record'])) as Order
}
