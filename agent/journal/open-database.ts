import { renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dirUnusable } from '../durable-files/dir-unusable.ts'
import { makePrivate, makePrivateFile } from '../durable-files/private-file.ts'
import { syncDirNow } from '../durable-files/sync-dir.ts'
import { damaged, notOpened, unusable } from './not-opened.ts'
import { applicationId, schema, schemaVersion, takeOverOlderVersion } from './schema.ts'

/** A larger database is not read to its end at the start: damage in it is found when its part is read. */
const checkedBytesMax = 8 * 1024 * 1024

/**
 * Opens the journal's database, and makes it if there is none. A journal of an earlier version is taken over. Commits are
 * not synced unless `PRAGMA synchronous` says so.
 *
 * @param newName The name of a new journal.
 * @throws {JournalUnusableError} The file is damaged, newer, or another program's. It stays untouched.
 * @throws {LockedError} Another program has it open.
 * @throws {DirUnusableError} There is no space, or no right to it. The file may be healthy.
 */
export function openDatabase(stateDir: string, newName: () => string): DatabaseSync {
  const path = join(stateDir, 'journal.db')
  let db: DatabaseSync | undefined
  try {
    // An empty file holds nothing that could be lost.
    if (statSync(path, { throwIfNoEntry: false })?.size) refuseForeign(path)
    else makeDatabase(path, newName())
    for (const file of filesOf(path)) makePrivate(file)
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL')
    if (Number(db.prepare('PRAGMA user_version').get()?.['user_version']) < schemaVersion) db.exec(takeOverOlderVersion)
    db.exec('PRAGMA synchronous = NORMAL')
    return db
  } catch (error) {
    db?.close()
    throw notOpened(path, error)
  }
}

/** Makes the database under another name first: a process that dies half-way leaves no journal that looks broken. */
function makeDatabase(path: string, name: string): void {
  const unfinished = `${path}.new`
  removeDatabase(unfinished)
  makePrivateFile(unfinished)
  const db = new DatabaseSync(unfinished, { timeout: 0 })
  try {
    // Not in WAL mode yet: the closing moves a WAL into the file, and reports no failure of that.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL')
    db.exec(`BEGIN IMMEDIATE; ${schema}`)
    // In the same transaction, because a journal without a name is no journal.
    db.prepare('INSERT INTO journal (only, name) VALUES (1, ?)').run(name)
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
  syncDirNow(dirname(path))
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
function refuseForeign(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  const value = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  // Fails if the file is no database.
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
  if (check !== 'ok') throw damaged(path, `damaged (${check})`)
}
