import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { vi } from 'vitest'
import type { StoreOnDisk, StoreParts } from './store-under-test.ts'
import { syncs } from './syncs.ts'
import type { VirtualProcess } from './virtual-host.ts'

// What is synced is a matter of copies here. A disk would only be slow.
const memoryDir = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** SQLite finds no room for what it writes while this says so. */
let isDiskFull = () => false

/** Where a statement that changes no row writes nothing. */
let isInTransaction = false

function failIfFull(): void {
  if (!isDiskFull()) return
  throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
}

const { run } = StatementSync.prototype
vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (this: StatementSync, ...values) {
  // Outside a transaction it would be committed already.
  if (!isInTransaction) failIfFull()
  const result = run.apply(this, values)
  if (result.changes !== 0) failIfFull()
  return result
})
// A deletion that returns rows has found some, and writes.
const { all } = StatementSync.prototype
vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...values) {
  const rows = all.apply(this, values)
  if (this.sourceSQL.startsWith('DELETE') && rows.length > 0) failIfFull()
  return rows
})
const { exec } = DatabaseSync.prototype
vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
  if (sql === 'BEGIN IMMEDIATE') isInTransaction = true
  if (sql === 'COMMIT' || sql === 'ROLLBACK') isInTransaction = false
  if (sql.startsWith('PRAGMA user_version =')) failIfFull()
  return exec.call(this, sql)
})

/**
 * A store in real files, for tests that have `withSyncs` in place of `node:fs`. A kill leaves the files as they are at
 * that moment: what SQLite has written is in them, what it has in memory is not. A power cut leaves them as they were
 * when the last sync that ended began. This shows which commits the agent has synced before it continues. That SQLite
 * reads such files well, and that a disk keeps what it was told to sync, is theirs to prove.
 *
 * @param ballast The file that the store removes to make room.
 */
export function sqliteOnDisk<Store>(
  fileName: string,
  openIn: (stateDir: string, parts: StoreParts) => Store,
  ballast?: string,
): StoreOnDisk<Store, VirtualProcess> {
  const root = mkdtempSync(join(memoryDir, 'store-contract-'))
  let copies = 0
  const newDir = () => {
    const dir = join(root, String(++copies))
    mkdirSync(dir)
    return dir
  }
  const copyOf = (from: string): string => {
    const dir = newDir()
    for (const file of [fileName, `${fileName}-wal`])
      if (existsSync(join(from, file))) copyFileSync(join(from, file), join(dir, file))
    return dir
  }
  let dir = newDir()
  /** What a power cut leaves. A database is synced when it is made. */
  let synced: string | undefined
  return {
    open({ model }, parts) {
      syncs.begin = (done) => {
        const copy = copyOf(dir)
        const keep = () => {
          synced = copy
        }
        void model.enterSlowly('fsync', 5, keep).then(done)
      }
      const store = openIn(dir, parts)
      synced ??= copyOf(dir)
      return store
    },
    async crash(how) {
      const left = copyOf(how === 'kill' ? dir : (synced ?? dir))
      // It is 4 MB, and of no interest here.
      if (ballast !== undefined && existsSync(join(dir, ballast))) renameSync(join(dir, ballast), join(left, ballast))
      dir = left
    },
    setFull(isFull) {
      isDiskFull = () => isFull && (ballast === undefined || existsSync(join(dir, ballast)))
    },
    async [Symbol.asyncDispose]() {
      isDiskFull = () => false
      rmSync(root, { recursive: true })
    },
  }
}
