import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { limits } from '../../contract/limits.ts'
import { inDoubt } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import { DirUnusableError } from '../durable-files/dir-unusable.ts'
import type { Ballast } from './ballast.ts'
import { CallRows } from './call-rows.ts'
import { JournalDamagedError } from './idempotency-journal.ts'
import { JournalTime } from './journal-time.ts'
import { notOpened, readThrough } from './not-opened.ts'
import { openDatabase } from './open-database.ts'

/** A journal's database, with what a former process left settled. */
export interface Store {
  readonly db: DatabaseSync
  /** The time by which windows end. */
  readonly time: JournalTime
  readonly rows: CallRows
}

/**
 * Opens the store of a state directory, once more without the ballast where there was no room for it: a full disk is no
 * reason not to start.
 *
 * @throws As `openDatabase`.
 */
export function openStore(stateDir: string, clock: Clock, ballast: Ballast): Store {
  try {
    return openSettled(stateDir, clock)
  } catch (error) {
    if (!(error instanceof DirUnusableError && error.mayPass)) throw error
    ballast.drop()
    return openSettled(stateDir, clock)
  }
}

/** SQLite says of a disk that fails what it says of a broken file. To read the file to its end tells the two apart. */
function openSettled(stateDir: string, clock: Clock): Store {
  try {
    return settled(stateDir, clock)
  } catch (error) {
    if (!(error instanceof JournalDamagedError)) throw error
    readThrough(join(stateDir, 'journal.db'))
    return settled(stateDir, clock)
  }
}

function settled(stateDir: string, clock: Clock): Store {
  const db = openDatabase(stateDir, randomUUID)
  try {
    return { db, time: settleFormerProcess(db, clock), rows: new CallRows(db) }
  } catch (error) {
    db.close()
    throw notOpened(join(stateDir, 'journal.db'), error)
  }
}

/** Calls that were under way are in doubt from now on. Entries that only grew older stay as they are. */
function settleFormerProcess(db: DatabaseSync, clock: Clock): JournalTime {
  const latest = db.prepare('SELECT max(ends_at_ms) AS ms FROM call').get()?.['ms']
  const time = new JournalTime(clock, Number(latest ?? 0))
  const { ends_at_ms, ends_at_wall_ms } = time.endAfter(limits.idempotencyWindowMs)
  db.exec('BEGIN IMMEDIATE')
  db.prepare('UPDATE call SET answer = ?, ends_at_ms = ?, ends_at_wall_ms = ? WHERE ends_at_ms IS NULL').run(
    JSON.stringify(inDoubt),
    ends_at_ms,
    ends_at_wall_ms,
  )
  // A wall clock that was set back must not keep an answer for longer than its window.
  db.prepare('UPDATE call SET ends_at_wall_ms = ?1 WHERE ends_at_wall_ms > ?1').run(ends_at_wall_ms)
  db.exec('COMMIT')
  return time
}
