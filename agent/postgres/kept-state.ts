import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { inDoubt } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import { inTransaction } from '../database/in-transaction.ts'
import { type DatabaseKind, openDatabase } from '../database/open-database.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { syncDirNow } from '../durable-files/sync-dir.ts'
import { journalTime } from '../journal/journal-time.ts'
import { journalDatabase } from '../journal/schema.ts'
import type { Order } from '../orders/order.ts'
import { ledgerDatabase } from '../orders/sqlite-order-ledger.ts'

/** What an agent keeps, on its way between a state directory and a store. Times are counted from now. */
export interface KeptState {
  readonly calls: readonly {
    readonly id: string
    readonly fingerprint: string
    readonly operation: string
    /** JSON, a `CallAnswer`. */
    readonly answer: string
    readonly restMs: number
  }[]
  /** For how long attempts may still arrive late, of any item. */
  readonly lateMs: number
  readonly repairs: readonly { readonly itemRef: string; readonly quantity: number; readonly restMs: number }[]
  readonly orders: readonly Order[]
  readonly observations: readonly { readonly itemRef: string; readonly quantity: number }[]
}

const windowMs = 600_000
const databases = [journalDatabase, ledgerDatabase]

/**
 * Reads the databases of a state directory whose owner is the caller. Calls that were under way are in doubt.
 *
 * @throws As `openDatabase`.
 */
export function readStateDir(stateDir: string, clock: Clock): KeptState {
  const kept = {
    calls: [] as KeptState['calls'],
    lateMs: 0,
    repairs: [] as KeptState['repairs'],
    orders: [] as Order[],
    observations: [] as KeptState['observations'],
  }
  within(journalDatabase, stateDir, (db) => {
    const nowMs = journalTime(db, clock).nowMs()
    kept.lateMs = Number(db.prepare('SELECT attempt_lifetime_ms AS ms FROM journal').get()?.['ms'])
    kept.calls = db
      .prepare(`SELECT id, fingerprint, operation, answer, ends_at_ms FROM call WHERE coalesce(ends_at_ms, ?) >= ?`)
      .all(nowMs, nowMs)
      .map(({ id, fingerprint, operation, answer, ends_at_ms: endsAtMs }) => ({
        ...{ id: String(id), fingerprint: String(fingerprint), operation: String(operation) },
        answer: answer === null ? JSON.stringify(inDoubt) : String(answer),
        restMs: endsAtMs === null ? windowMs : Math.ceil(Number(endsAtMs) - nowMs),
      }))
    kept.repairs = db
      .prepare('SELECT item_ref, quantity, due_at_ms FROM repair')
      .all()
      .map(({ item_ref: itemRef, quantity, due_at_ms: dueAtMs }) => ({
        ...{ itemRef: String(itemRef), quantity: Number(quantity) },
        restMs: Math.ceil(Math.max(Number(dueAtMs) - nowMs, kept.lateMs)),
      }))
  })
  within(ledgerDatabase, stateDir, (db) => {
    kept.orders = db
      .prepare('SELECT record FROM orders')
      .all()
      .map(({ record }) => JSON.parse(String(record)) as Order)
    kept.observations = db
      .prepare('SELECT item_ref, observed_quantity FROM observations')
      .all()
      .map((row) => ({ itemRef: String(row['item_ref']), quantity: Number(row['observed_quantity']) }))
  })
  return kept
}

/**
 * Adds to the databases of a state directory, which are made if they are missing. Rows that are there stay as they are. It
 * survives a power cut.
 *
 * @throws As `openDatabase`.
 */
export function addToStateDir(
  stateDir: string,
  clock: Clock,
  { calls, lateMs, repairs, orders, observations }: KeptState,
): void {
  openDatabase(journalDatabase, stateDir, (opened) => {
    using db = opened
    const time = journalTime(db, clock)
    inOneCommit(db, () => {
      time.storeOffset((write) => write())
      const nowMs = time.nowMs()
      const call = db.prepare(
        `INSERT INTO call (id, fingerprint, operation, answer, ends_at_ms) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE
             SET fingerprint = excluded.fingerprint, operation = excluded.operation, answer = excluded.answer,
               ends_at_ms = excluded.ends_at_ms
             WHERE ends_at_ms < ?`,
      )
      for (const { id, fingerprint, operation, answer, restMs } of calls)
        call.run(id, fingerprint, operation, answer, nowMs + restMs, nowMs)
      db.prepare('UPDATE journal SET attempt_lifetime_ms = max(attempt_lifetime_ms, ?)').run(lateMs)
      const repair = db.prepare('INSERT OR IGNORE INTO repair (item_ref, quantity, due_at_ms) VALUES (?, ?, ?)')
      for (const { itemRef, quantity, restMs } of repairs) repair.run(itemRef, quantity, nowMs + restMs)
    })
  })
  openDatabase(ledgerDatabase, stateDir, (opened) => {
    using db = opened
    inOneCommit(db, () => {
      const order = db.prepare('INSERT OR IGNORE INTO orders (transaction_id, record) VALUES (?, ?)')
      for (const one of orders) order.run(one.transactionId, JSON.stringify(one))
      const observation = db.prepare('INSERT OR IGNORE INTO observations (item_ref, observed_quantity) VALUES (?, ?)')
      for (const { itemRef, quantity } of observations) observation.run(itemRef, quantity)
    })
  })
}

/** Gives the databases of a state directory other names, so that no agent begins with what was moved. */
export function retireStateDir(stateDir: string): void {
  for (const { fileName } of databases) {
    const path = join(stateDir, fileName)
    if (existsSync(path)) renameSync(path, `${path}.moved`)
  }
  syncDirNow(hostFiles, stateDir)
}

function within(kind: DatabaseKind, stateDir: string, read: (db: DatabaseSync) => void): void {
  if (!existsSync(join(stateDir, kind.fileName))) return
  openDatabase(kind, stateDir, (opened) => {
    using db = opened
    read(db)
  })
}

function inOneCommit(db: DatabaseSync, write: () => void): void {
  db.exec('PRAGMA synchronous = FULL')
  inTransaction(db, write)
}
