import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { limits } from '../../contract/limits.ts'
import { inDoubt } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import { DirUnusableError } from '../durable-files/dir-unusable.ts'
import type { Ballast } from './ballast.ts'
import { CallTable } from './call-table.ts'
import { JournalTime } from './journal-time.ts'
import { JournalDamagedError } from './journal-unusable.ts'
import { notOpened, readThrough } from './not-opened.ts'
import { openDatabase } from './open-database.ts'

/** A journal's database, ready for the calls of this process. */
export interface Store {
  readonly db: DatabaseSync
  readonly time: JournalTime
  readonly calls: CallTable
}

/**
 * Opens the store of a state directory. If there is no room for that, it drops the ballast and tries once more: a full disk
 * is no reason not to start.
 *
 * @throws As `openDatabase`.
 */
export function openStore(stateDir: string, clock: Clock, ballast: Ballast): Store {
  try {
    return openReadable(stateDir, clock)
  } catch (error) {
    if (!(error instanceof DirUnusableError && error.mayPass)) throw error
    ballast.drop()
    return openReadable(stateDir, clock)
  }
}

/** SQLite reports a failing disk as it reports a broken file. Reading the file to its end tells the two apart. */
function openReadable(stateDir: string, clock: Clock): Store {
  try {
    return open(stateDir, clock)
  } catch (error) {
    if (!(error instanceof JournalDamagedError)) throw error
    readThrough(join(stateDir, 'journal.db'))
    return open(stateDir, clock)
  }
}

function open(stateDir: string, clock: Clock): Store {
  const db = openDatabase(stateDir, randomUUID)
  try {
    const store = { db, time: new JournalTime(db, clock), calls: new CallTable(db) }
    takeOver(store)
    return store
  } catch (error) {
    db.close()
    throw notOpened(join(stateDir, 'journal.db'), error)
  }
}

/** The calls that the last process did not end are in doubt from now on. */
function takeOver({ db, time, calls }: Store): void {
  const latestEndMs = time.nowMs() + limits.idempotencyWindowMs
  db.exec('BEGIN IMMEDIATE')
  calls.settleIntents(JSON.stringify(inDoubt), latestEndMs)
  // A wall clock that was set back must not keep an answer for longer than its window.
  calls.shortenWindows(latestEndMs)
  db.exec('COMMIT')
}
