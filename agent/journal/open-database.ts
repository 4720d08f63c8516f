import { renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dirUnusable } from '../durable-files/dir-unusable.ts'
import { syncDirNow } from '../durable-files/sync-dir.ts'
import { damaged, notOpened, unusable } from './not-opened.ts'

/** "mktj" as a number: says in the file's head whose database it is. */
const applicationId = 0x6d6b746a
const schemaVersion = 2

const callTable = `
  -- Calls with an id, in the order in which they were written, one row for an id. Without an answer it was about to
  -- leave and nothing more is known. Its end is told in the journal time of the process that wrote it, and by the wall
  -- clock for the processes after that one. No index: see docs/decisions/0007.
  CREATE TABLE call (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    operation TEXT NOT NULL,
    answer TEXT,
    ends_at_ms REAL,
    ends_at_wall_ms REAL
  ) STRICT;
  PRAGMA user_version = ${schemaVersion};
`

const schema = `
  CREATE TABLE journal (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT NOT NULL
  ) STRICT;
  ${callTable}
  PRAGMA application_id = ${applicationId};
`

/** Version 1 had ids for keys, and an index of the ends. */
const fromVersion1 = `
  BEGIN IMMEDIATE;
  DROP INDEX call_end;
  ALTER TABLE call RENAME TO call_1;
  ${callTable}
  INSERT INTO call (id, fingerprint, operation, answer, ends_at_ms, ends_at_wall_ms)
    SELECT id, fingerprint, operation, answer, ends_at_ms, ends_at_wall_ms FROM call_1 ORDER BY ends_at_ms;
  DROP TABLE call_1;
  COMMIT;
`

/**
 * Opens the journal's database, and makes it where there is none.
 *
 * @param newName Names a new journal.
 * @throws {JournalUnusableError} The file is damaged, newer, or another program's. It stays untouched.
 * @throws {LockedError} Another program has it open.
 * @throws {DirUnusableError} There is no room, or no right to it: nothing is known of the file.
 */
export function openDatabase(stateDir: string, newName: () => string): DatabaseSync {
  const path = join(stateDir, 'journal.db')
  let db: DatabaseSync | undefined
  try {
    // An empty file holds nothing that could be lost.
    if (statSync(path, { throwIfNoEntry: false })?.size) refuseForeign(path)
    else makeDatabase(path, newName())
    db = new DatabaseSync(path, { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL')
    if (db.prepare('PRAGMA user_version').get()?.['user_version'] === 1) db.exec(fromVersion1)
    return db
  } catch (error) {
    db?.close()
    throw notOpened(path, error)
  }
}

/**
 * Makes the database whole under another name first. Whoever died while making it in its place would leave a file that
 * the next start cannot look at without changing it, and would have to refuse.
 */
function makeDatabase(path: string, name: string): void {
  const unfinished = `${path}.new`
  removeDatabase(unfinished)
  const db = new DatabaseSync(unfinished, { timeout: 0 })
  try {
    // Not in WAL mode yet: what stands in a WAL comes into the file at the closing, and nobody is told when it does not.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL')
    db.exec(`BEGIN IMMEDIATE; ${schema}`)
    // In the same transaction: a journal without a name would share it with all others.
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
  for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${rest}`, { force: true })
}

function refuseForeign(path: string): void {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 0 })
  const value = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  // Says whether it is a database at all.
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
  const check = String(value('PRAGMA quick_check(1)'))
  if (check !== 'ok') throw damaged(path, `damaged (${check})`)
}
