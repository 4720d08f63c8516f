import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { limits } from '../../contract/limits.ts'
import { type CallAnswer, inDoubt } from '../call/answer.ts'
import type { Clock } from '../clock.ts'
import { isForWantOfRoom } from '../ownership/database-fault.ts'
import { RemovedError, standing } from '../ownership/standing.ts'
import { Ballast } from './ballast.ts'
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

interface Row {
  readonly fingerprint: string
  readonly answer: string | null
  readonly ends_at_ms: number | null
  readonly ends_at_wall_ms: number
}

/**
 * Remembers ids through kill -9 and power cuts, in `journal.db` of the state directory. The caller owns that directory
 * alone. Windows run by the monotonic clock; over a restart the wall clock carries what is left of them, and never more
 * than a whole window.
 *
 * @throws {JournalUnusableError} There is a database that is not ours, or damaged.
 * @throws {HeldError} Another program has it open.
 * @throws {DirUnusableError} It cannot be reached or written.
 */
export function openSqliteJournal(options: SqliteJournalOptions): IdempotencyJournal {
  const { stateDir, clock, isUnanswered, troubled, broke } = options
  const ballast = new Ballast(stateDir)
  const { db, time } = openStore(stateDir, clock, ballast)
  const path = join(stateDir, 'journal.db')
  const isStanding = standing(path)
  const commits = new GroupCommit(db, clock)
  const name = String(db.prepare('SELECT name FROM journal').get()?.['name'])
  const select = db.prepare('SELECT fingerprint, answer, ends_at_ms, ends_at_wall_ms FROM call WHERE id = ?')
  const insertIntent = db.prepare(
    'INSERT INTO call (id, fingerprint, operation) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, operation = excluded.operation, answer = NULL, ends_at_ms = NULL, ends_at_wall_ms = NULL',
  )
  const upsertAnswer = db.prepare(
    'INSERT INTO call (id, fingerprint, operation, answer, ends_at_ms, ends_at_wall_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, operation = excluded.operation, answer = excluded.answer, ends_at_ms = excluded.ends_at_ms, ends_at_wall_ms = excluded.ends_at_wall_ms',
  )
  const remove = db.prepare('DELETE FROM call WHERE id = ?')
  const inMemory = new LRUCache<string, JournalEntry>({
    max: entriesInMemoryMax,
    ttl: limits.idempotencyWindowMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
  })

  /** Tells a full disk, which the caller can handle, from a broken store, which nobody can. */
  async function written(apply: () => void): Promise<void> {
    try {
      await commits.write(apply)
    } catch (error) {
      if (isForWantOfRoom(error)) throw new JournalFullError('no room in SERVICE_STATE_DIR', { cause: error })
      broke(error as Error)
      throw error
    }
  }

  /** As `written`, for what has already happened: the ballast is given up for it. */
  async function writtenForSure(apply: () => void): Promise<void> {
    try {
      await written(apply)
    } catch (error) {
      if (!(error instanceof JournalFullError)) throw error
      // Another answer of the same commit may have dropped it; then there is room for this one too.
      ballast.drop()
      await written(apply)
    }
  }

  /** An answer that nobody will find again is no answer that was kept, and an intent even less. */
  function assertStanding(): void {
    if (isStanding()) return
    const error = new RemovedError('SERVICE_STATE_DIR', path, cureOfRemoved)
    broke(error)
    throw error
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
    const row = looked(() => select.get(id) as Row | undefined)
    if (!row) return undefined
    const answer = row.answer === null ? inDoubt : (JSON.parse(row.answer) as CallAnswer)
    return { fingerprint: row.fingerprint, answer, endsAtMs: endMsOf(row) }
  }

  function endMsOf({ ends_at_ms, ends_at_wall_ms }: Pick<Row, 'ends_at_ms' | 'ends_at_wall_ms'>): number {
    return ends_at_ms === null ? Number.POSITIVE_INFINITY : time.endMsOf({ ends_at_ms, ends_at_wall_ms })
  }

  const write = (remove: () => void) => void written(remove).catch(ignoreFull)
  const stopPurging = startPurging({ db, time }, { clock, isUnanswered, looked, write })

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
      if (entry && entry.endsAtMs < time.nowMs()) await written(() => remove.run(id))
    },

    async recordIntent({ id, fingerprint, operationName }) {
      assertStanding()
      assertRoom()
      inMemory.delete(id)
      await written(() => insertIntent.run(id, fingerprint, operationName))
    },

    async recordAnswer({ id, fingerprint, operationName }, answer, keepMs) {
      const text = JSON.stringify(answer)
      assertStanding()
      await writtenForSure(() => {
        const { ends_at_ms, ends_at_wall_ms } = time.endAfter(keepMs)
        upsertAnswer.run(id, fingerprint, operationName, text, ends_at_ms, ends_at_wall_ms)
      })
      inMemory.set(id, { fingerprint, answer }, { ttl: keepMs })
    },

    async release(id) {
      assertStanding()
      inMemory.delete(id)
      await writtenForSure(() => remove.run(id))
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
