import { chmodSync, closeSync, mkdirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ExitCode, exitCodes, UserError } from '../user-error.ts'
import { applicationId, migrations } from './schema.ts'

const reasons = {
  foreign: 'is not a database of platform-stub; choose another --data-dir',
  newer: 'was written by a newer platform-stub; use that one, or another --data-dir',
  locked: 'is in use by another platform-stub; end that one, or choose another --data-dir',
  unusable: 'cannot be opened',
} as const

/** The database cannot be used. Its file was not touched. */
class StoreUnusableError extends UserError {
  override readonly name = 'StoreUnusableError'
  override readonly exitCode: ExitCode
  readonly code: keyof typeof reasons
  readonly file: string

  constructor(code: keyof typeof reasons, file: string, cause?: unknown) {
    const detail = code === 'unusable' && cause instanceof Error ? `: ${cause.message}` : ''
    super(`${file} ${reasons[code]}${detail}`, { cause })
    this.code = code
    this.exitCode = code === 'locked' ? exitCodes.locked : exitCodes.failed
    this.file = file
  }
}

/**
 * The stub's database: one connection, locked for every other process; what it committed outlives the process.
 *
 * @param directory Made if missing; null keeps everything in memory.
 * @throws {StoreUnusableError} The file is another program's, a newer stub's, locked by another process, or broken.
 */
export function openDatabase(directory: string | null): DatabaseSync {
  if (directory === null) return prepared(new DatabaseSync(':memory:'))
  const file = join(directory, 'platform.db')
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    refuseForeign(file)
    const database = new DatabaseSync(file)
    try {
      chmodSync(file, 0o600)
      return prepared(database, file)
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    if (error instanceof StoreUnusableError) throw error
    const isLocked = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
    throw new StoreUnusableError(isLocked ? 'locked' : 'unusable', file, error)
  }
}

const sqliteBusy = 5
const header = { magic: 'SQLite format 3\0', bytes: 100, userVersionAt: 60, applicationIdAt: 68 } as const

/** Reads the file's header itself: opening a database through SQLite can already write next to it. */
function refuseForeign(file: string): void {
  const bytes = Buffer.alloc(header.bytes)
  const descriptor = openSync(file, 'a+', 0o600)
  const length = readSync(descriptor, bytes, 0, header.bytes, 0)
  closeSync(descriptor)
  if (length === 0) return
  const isSqlite = length === header.bytes && bytes.toString('latin1', 0, header.magic.length) === header.magic
  if (!isSqlite || bytes.readUInt32BE(header.applicationIdAt) !== applicationId) {
    throw new StoreUnusableError('foreign', file)
  }
  if (bytes.readUInt32BE(header.userVersionAt) > migrations.length) throw new StoreUnusableError('newer', file)
}

function prepared(database: DatabaseSync, file = ':memory:'): DatabaseSync {
  database.exec('pragma locking_mode = exclusive; begin exclusive; commit; pragma foreign_keys = on')
  const version = Number(database.prepare('pragma user_version').get()?.['user_version'])
  if (version > migrations.length) throw new StoreUnusableError('newer', file)
  migrate(database, version)
  // `normal`: what was committed outlives the process, which is all that is promised. See docs/decisions/0032.
  // Only now: the first version's header must reach the file itself, where the next start looks for it.
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma wal_autocheckpoint = 8000;
    pragma cache_size = -65536;
  `)
  return database
}

function migrate(database: DatabaseSync, version: number): void {
  for (const [at, migration] of migrations.entries()) {
    if (at < version) continue
    database.exec(`
      begin exclusive;
      ${migration}
      pragma application_id = ${applicationId};
      pragma user_version = ${at + 1};
      commit;
    `)
  }
}
