import { renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dirUnusable } from '../durable-files/dir-unusable.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { makePrivate, makePrivateFile } from '../durable-files/private-file.ts'
import { syncDirNow } from '../durable-files/sync-dir.ts'
import { damaged, notOpened, readThrough, unusable } from './not-opened.ts'
import { StoreDamagedError } from './store-errors.ts'

/** A database of the state directory: what differs between the journal and the ledger. */
export interface DatabaseKind {
  readonly fileName: string
  /** Says in the head of the file whose database it is. */
  readonly applicationId: number
  readonly schemaVersion: number
  /** Creates the tables of an empty database. */
  readonly schema: string
  /** Fills an empty database, in the transaction that creates its tables. */
  readonly fill?: (db: DatabaseSync) => void
  /** SQL that takes over a database of an earlier version. Absent before the second version. */
  readonly takeOver?: (version: number) => string
  /** What a person can do about a broken file, and what that means. */
  readonly cureOfDamage: () => string
  /** What a person can do if the file was removed while the agent ran, and what that means. */
  readonly cureOfRemoval: () => string
}

/** A larger database is not read to its end at the start: damage in it is found when its part is read. */
const checkedBytesMax = 8 * 1024 * 1024

/**
 * Opens a database of the state directory and makes it if there is none. One of an earlier version is taken over.
 * Commits are not synced unless `PRAGMA synchronous` says so.
 *
 * @param prepare Makes the database ready for this process. If it fails, the database is closed.
 * @throws {StoreUnusableError} The file is damaged, newer, or another program's. It stays untouched.
 * @throws {LockedError} Another program has it open.
 * @throws {DirUnusableError} There is no space, or no right to it. The file may be healthy.
 */
export function openDatabase<Store>(kind: DatabaseKind, stateDir: string, prepare: (db: DatabaseSync) => Store): Store {
  const path = join(stateDir, kind.fileName)
  try {
    return openOnce(kind, path, prepare)
  } catch (error) {
    if (!(error instanceof StoreDamagedError)) throw error
    // SQLite reports a failing disk as it reports a broken file. Reading the file to its end tells the two apart.
    readThrough(path)
    return openOnce(kind, path, prepare)
  }
}

function openOnce<Store>(kind: DatabaseKind, path: string, prepare: (db: DatabaseSync) => Store): Store {
  let db: DatabaseSync | undefined
  try {
    // An empty file holds nothing that could be lost.
    if (statSync(path, { throwIfNoEntry: false })?.size) refuseForeign(kind, path)
    else makeDatabase(kind, path)
    for (const file of filesOf(path)) makePrivate(file)
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL')
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
    if (version < kind.schemaVersion && kind.takeOver) db.exec(kind.takeOver(version))
    db.exec('PRAGMA synchronous = NORMAL')
    return prepare(db)
  } catch (error) {
    db?.close()
    throw notOpened(path, error, kind.cureOfDamage())
  }
}

/** Makes the database under another name first: a process that dies half-way leaves no database that looks broken. */
function makeDatabase(kind: DatabaseKind, path: string): void {
  const unfinished = `${path}.new`
  removeDatabase(unfinished)
  makePrivateFile(unfinished)
  const db = new DatabaseSync(unfinished, { timeout: 0 })
  try {
    // Not in WAL mode yet: the closing moves a WAL into the file, and reports no failure of that.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL')
    const { applicationId, schemaVersion, schema, fill } = kind
    db.exec(
      `BEGIN IMMEDIATE; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}; ${schema}`,
    )
    fill?.(db)
    db.exec('COMMIT')
    if (db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'] !== 'wal') throw withoutWal(path)
    db.close()
    renameSync(unfinished, path)
    removeDatabase(unfinished)
  } catch (error) {
    if (db.isOpen) db.close()
    removeDatabase(unfinished)
    throw error
  }
  syncDirNow(hostFiles, dirname(path))
}

function withoutWal(path: string): Error {
  return dirUnusable('SERVICE_STATE_DIR', path, new Error('its file system allows no write-ahead log'))
}

function removeDatabase(path: string): void {
  for (const file of filesOf(path)) rmSync(file, { force: true })
}

function filesOf(path: string): string[] {
  return ['', '-journal', '-wal', '-shm'].map((suffix) => `${path}${suffix}`)
}

/** Looks at the file without changing it. */
function refuseForeign({ applicationId, schemaVersion, cureOfDamage }: DatabaseKind, path: string): void {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  const value = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  // Fails if the file is not a database.
  value('SELECT count(*) FROM sqlite_schema')
  if (value('PRAGMA application_id') !== applicationId)
    throw unusable(path, "another program's database", 'set SERVICE_STATE_DIR to a directory of its own')
  const version = value('PRAGMA user_version')
  if (Number(version) > schemaVersion) {
    throw unusable(
      path,
      `written by a newer version of market-agent (${version}, this one knows ${schemaVersion})`,
      'start that version again',
    )
  }
  const pages = Number(value('PRAGMA page_count')) - Number(value('PRAGMA freelist_count'))
  if (pages * Number(value('PRAGMA page_size')) > checkedBytesMax) return
  const check = String(value('PRAGMA quick_check(1)'))
  if (check !== 'ok') throw damaged(path, `damaged (${check})`, cureOfDamage())
}
