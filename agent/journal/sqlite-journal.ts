import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { limits } from '../../contract/limits.ts'
import { type CallAnswer, inDoubt } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import { isForWantOfRoom } from '../durable-files/database-fault.ts'
import { RemovedError, trackFile } from '../durable-files/same-file.ts'
import { Ballast } from './ballast.ts'
import type { CallRow, PlacedRow } from './call-rows.ts'
import { GroupCommit } from './group-commit.ts'
import { type IdempotencyJournal, type JournalEntry, JournalFullError } from './idempotency-journal.ts'
import { openStore } from './open-store.ts'
import { startPurging } from './purge.ts'

/** What the journal needs beside its directory. */
export interface SqliteJournalOptions {
  readonly stateDir: string
  readonly clock: Clock
  /** Whether a request with this id was claimed and is not answered yet: its entry outlives its window. */
  readonly isUnanswered: (id: string) => boolean
  /** Told when `once` calls begin to be refused because they cannot be noted; with nothing, when they can be again. */
  readonly troubled: (error: Error | undefined) => void
  /** Told when the store fails for another reason than a full disk: the agent must stop rather than guess. */
  readonly broke: (error: Error) => void
}

const entriesInMemoryMax = 20_000
const cureOfRemoved =
  'What was sent is forgotten with it. Put it back if it was moved; else start the agent again, and ids of the last ten minutes are new'

/**
 * Remembers ids through kill -9 and power cuts, in `journal.db` of the state directory. The caller owns that directory
 * alone. Windows run by the monotonic clock; over a restart the wall clock carries what is left of them, and never more
 * than a whole window.
 *
 * @throws {JournalUnusableError} There is a database that is not ours, or damaged.
 * @throws {LockedError} Another program has it open.
 * @throws {DirUnusableError} It cannot be reached or written.
 */
export function openSqliteJournal(options: SqliteJournalOptions): IdempotencyJournal {
  const { stateDir, clock, isUnanswered, troubled, broke } = options
  const ballast = new Ballast(stateDir)
  const { db, time, rows } = openStore(stateDir, clock, ballast)
  const path = join(stateDir, 'journal.db')
  const isSameFile = trackFile(path)
  const commits = new GroupCommit(db, clock, assertStanding)
  const name = String(db.prepare('SELECT name FROM journal').get()?.['name'])
  const inMemory = new LRUCache<string, JournalEntry>({
    max: entriesInMemoryMax,
    ttl: limits.idempotencyWindowMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
  })

  /** Tells a full disk, which the caller can handle, from a broken store, which nobody can. */
  async function written<Result>(apply: () => Result): Promise<Result> {
    try {
      return await commits.write(apply)
    } catch (error) {
      if (isForWantOfRoom(error)) throw new JournalFullError('no room in SERVICE_STATE_DIR', { cause: error })
      broke(error as Error)
      throw error
    }
  }

  /** As `written`, for what has already happened: the ballast is given up for it. */
  async function writtenForSure<Result>(apply: () => Result): Promise<Result> {
    try {
      return await written(apply)
    } catch (error) {
      if (!(error instanceof JournalFullError)) throw error
      // Another answer of the same commit may have dropped it; then there is room for this one too.
      ballast.drop()
      return await written(apply)
    }
  }

  /** An answer that nobody will find again is no answer that was kept, and an intent even less. */
  function assertStanding(): void {
    if (!isSameFile()) throw new RemovedError('SERVICE_STATE_DIR', path, cureOfRemoved)
  }

  let isTroubled = false
  function assertRoom(): void {
    try {
      ballast.assertWhole()
    } catch (error) {
      if (!isTroubled) troubled(error as Error)
      isTroubled = true
      throw new JournalFullError('nothing can be noted in SERVICE_STATE_DIR', { cause: error })
    }
    if (isTroubled) troubled(undefined)
    isTroubled = false
  }

  /** A store that cannot be read says nothing of what was sent: nobody may go on without it. */
  function looked<Result>(look: () => Result): Result {
    try {
      return look()
    } catch (error) {
      broke(error as Error)
      throw error
    }
  }

  function read(id: string): (JournalEntry & { endsAtMs: number }) | undefined {
    const row = looked(() => rows.read(id))
    if (!row) return undefined
    const answer = row.answer === null ? inDoubt : (JSON.parse(row.answer) as CallAnswer)
    return { fingerprint: row.fingerprint, answer, endsAtMs: endMsOf(row) }
  }

  function endMsOf({ ends_at_ms, ends_at_wall_ms }: Pick<CallRow, 'ends_at_ms' | 'ends_at_wall_ms'>): number {
    return ends_at_ms === null ? Number.POSITIVE_INFINITY : time.endMsOf({ ends_at_ms, ends_at_wall_ms })
  }

  async function removeEnded(ended: readonly PlacedRow[]): Promise<void> {
    await written(() => rows.removeAll(ended))
    rows.forgetAll(ended)
  }

  const remove = (ended: readonly PlacedRow[]) => void removeEnded(ended).catch(ignoreFull)
  const stopPurging = startPurging({ db, time }, { clock, isUnanswered, looked, remove })

  return {
    name,

    async find(id) {
      const remembered = inMemory.get(id)
      if (remembered) return remembered
      const entry = read(id)
      return entry && entry.endsAtMs >= time.nowMs() ? entry : undefined
    },

    async findUnanswered(id) {
      return read(id)
    },

    async forgetEnded(id) {
      const entry = read(id)
      if (!entry || entry.endsAtMs >= time.nowMs()) return
      await written(() => rows.remove(id))
      rows.forget(id)
    },

    async recordIntent(call) {
      // The ballast of a directory that is gone is not whole either, and that is not what is wrong.
      looked(assertStanding)
      assertRoom()
      inMemory.delete(call.id)
      rows.remember(await written(() => rows.write(call, null, null)))
    },

    async recordAnswer(call, answer, keepMs) {
      const text = JSON.stringify(answer)
      rows.remember(await writtenForSure(() => rows.write(call, text, time.endAfter(keepMs))))
      inMemory.set(call.id, { fingerprint: call.fingerprint, answer }, { ttl: keepMs })
    },

    async release(id) {
      inMemory.delete(id)
      await writtenForSure(() => rows.remove(id))
      rows.forget(id)
    },

    async close() {
      stopPurging()
      commits.flush()
      db.close()
    },
  }
}

/** What could not be removed now is removed the next time. */
function ignoreFull(error: unknown): void {
  if (!(error instanceof JournalFullError)) throw error
}
