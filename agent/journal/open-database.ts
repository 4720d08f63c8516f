import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncDirNow } from '../sync-dir.ts'
import { JournalUnusableError } from './idempotency-journal.ts'

/** "mktj" as a number: says in the file's head whose database it is. */
const applicationId = 0x6d6b746a
const schemaVersion = 1

const schema = `
  CREATE TABLE journal (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT NOT NULL
  ) STRICT;

  -- A call with an id. Without an answer it was about to leave and nothing more is known. Times are the monotonic ms of
  -- the running process; the wall clock stands beside them for the process after it.
  CREATE TABLE call (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    operation TEXT NOT NULL,
    answer TEXT,
    ends_at_ms REAL,
    ends_at_wall_ms REAL
  ) STRICT;
  CREATE INDEX call_end ON call (ends_at_ms) WHERE ends_at_ms IS NOT NULL;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`

/**
 * Opens the journal's database, and makes it where there is none.
 *
 * @param newName Names a new journal.
 * @throws {JournalUnusableError} The file is damaged, newer, or another program's. It stays untouched.
 */
export function openDatabase(stateDir: string, newName: () => string): DatabaseSync {
  const path = join(stateDir, 'journal.db')
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  // An empty file holds nothing that could be lost.
  if (statSync(path, { throwIfNoEntry: false })?.size) refuseForeign(path)
  else makeDatabase(path, newName())
  const db = new DatabaseSync(path, { timeout: 0 })
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL')
  return db
}

/**
 * Makes the database whole under another name first. Whoever died while making it in its place would leave a file that
 * the next start cannot look at without changing it, and would have to refuse.
 */
function makeDatabase(path: string, name: string): void {
  const unfinished = `${path}.new`
  for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${rest}`, { force: true })
  const db = new DatabaseSync(unfinished, { timeout: 0 })
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec(`BEGIN IMMEDIATE; ${schema}`)
    // In the same transaction: a journal without a name would share it with all others.
    db.prepare('INSERT INTO journal (only, name) VALUES (1, ?)').run(name)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
  renameSync(unfinished, path)
  syncDirNow(dirname(path))
}

function refuseForeign(path: string): void {
  const unusable = (problem: string, cure: string) =>
    new JournalUnusableError(`${path}: ${problem}. The file was left as it is; ${cure}.`)
  let head: { applicationId: unknown; version: unknown; tables: unknown; check: unknown }
  try {
    using db = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    const value = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
    head = {
      applicationId: value('PRAGMA application_id'),
      version: value('PRAGMA user_version'),
      tables: value('SELECT count(*) FROM sqlite_schema'),
      check: value('PRAGMA quick_check(1)'),
    }
  } catch (error) {
    throw unusable(
      `damaged or no database (${(error as Error).message})`,
      'move it away to begin with an empty memory. An older copy in its place would forget calls that were sent',
    )
  }
  if (head.applicationId !== applicationId)
    throw unusable("another program's database", 'set SERVICE_STATE_DIR to a directory of its own')
  if (Number(head.version) > schemaVersion) {
    throw unusable(
      `written by a newer version of market-agent (${head.version}, this one knows ${schemaVersion})`,
      'start that version again',
    )
  }
  if (head.check !== 'ok')
    throw unusable(
      `damaged (${head.check})`,
      'move it away to begin with an empty memory. An older copy in its place would forget calls that were sent',
    )
}
