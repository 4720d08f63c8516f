import type { DatabaseSync } from 'node:sqlite'
import { limits } from '../../contract/limits.ts'
import { inDoubt } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import { openDatabase } from '../database/open-database.ts'
import { DirUnusableError } from '../durable-files/dir-unusable.ts'
import type { Ballast } from './ballast.ts'
import { type CallTable, callTable } from './call-table.ts'
import { type JournalTime, journalTime } from './journal-time.ts'
import { journalDatabase } from './schema.ts'

/** A journal's database, ready for the calls of this process. Statements are made for it, and the writer runs them. */
export interface Store {
  readonly db: DatabaseSync
  readonly time: JournalTime
  readonly calls: CallTable
}

/**
 * Opens the store of a state directory. If there is no room for that, it drops the ballast and tries once more: a full
 * disk must not prevent a start.
 *
 * @throws As `openDatabase`.
 */
export function openStore(stateDir: string, clock: Clock, ballast: Ballast): Store {
  const open = () => openDatabase(journalDatabase, stateDir, (db) => prepareStore(db, clock))
  try {
    return open()
  } catch (error) {
    if (!(error instanceof DirUnusableError && error.mayPass)) throw error
    ballast.drop()
    return open()
  }
}

/** The calls that the last process did not end are in doubt from now on. */
export function prepareStore(db: DatabaseSync, clock: Clock): Store {
  const time = journalTime(db, clock)
  const latestEndMs = time.nowMs() + limits.idempotencyWindowMs
  const calls = callTable(db)
  calls.settleIntents(JSON.stringify(inDoubt), latestEndMs)
  // A wall clock that was set back must not keep an answer for longer than its window.
  calls.shortenWindows(latestEndMs)
  return { db, time, calls }
}
