import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { limits } from '../../contract/limits.ts'
import { type CallAnswer, refusal } from '../call/answer.ts'
import type { Clock } from '../clock.ts'
import { messages } from '../messages.ts'
import { Ballast } from './ballast.ts'
import { GroupCommit } from './group-commit.ts'
import { type IdempotencyJournal, type JournalEntry, JournalFullError } from './idempotency-journal.ts'
import { openDatabase } from './open-database.ts'

export interface SqliteJournalOptions {
  readonly stateDir: string
  readonly clock: Clock
  /** Whether a request with this id was claimed and is not answered yet: its entry outlives its window. */
  readonly isUnanswered: (id: string) => boolean
  /** Told when the store fails for another reason than a full disk: the agent must stop rather than guess. */
  readonly broke: (error: Error) => void
}

/** What a `once` call without an answer became when its agent ended: nobody knows, and it is never sent again. */
export const inDoubtAfterRestart: CallAnswer = refusal(504, messages.inDoubtAfterRestart, true)

const purgeIntervalMs = 60_000
const purgedAtOnce = 5_000
const entriesInMemoryMax = 20_000

interface Row {
  readonly fingerprint: string
  readonly answer: string | null
  readonly ends_at_ms: number | null
}

/**
 * Remembers ids through kill -9 and power cuts, in `journal.db` of the state directory. The caller owns that directory
 * alone. Windows run by the monotonic clock; over a restart the wall clock carries what is left of them, and never more
 * than a whole window.
 *
 * @throws {JournalUnusableError} There is a database that is not ours, or damaged.
 */
export function openSqliteJournal({ stateDir, clock, isUnanswered, broke }: SqliteJournalOptions): IdempotencyJournal {
  const db = openDatabase(stateDir, randomUUID)
  settleFormerProcess(db, clock)
  const ballast = new Ballast(stateDir)
  const commits = new GroupCommit(db, clock)
  const name = String(db.prepare('SELECT name FROM journal').get()?.['name'])
  const select = db.prepare('SELECT fingerprint, answer, ends_at_ms FROM call WHERE id = ?')
  const insertIntent = db.prepare(
    'INSERT INTO call (id, fingerprint, operation) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, operation = excluded.operation, answer = NULL, ends_at_ms = NULL, ends_at_wall_ms = NULL',
  )
  const upsertAnswer = db.prepare(
    'INSERT INTO call (id, fingerprint, operation, answer, ends_at_ms, ends_at_wall_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, operation = excluded.operation, answer = excluded.answer, ends_at_ms = excluded.ends_at_ms, ends_at_wall_ms = excluded.ends_at_wall_ms',
  )
  const remove = db.prepare('DELETE FROM call WHERE id = ?')
  const selectEnded = db.prepare('SELECT id FROM call WHERE ends_at_ms < ? LIMIT ?')
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
      if (isFull(error)) throw new JournalFullError('no room in SERVICE_STATE_DIR', { cause: error })
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
    const answer = row.answer === null ? inDoubtAfterRestart : (JSON.parse(row.answer) as CallAnswer)
    return { fingerprint: row.fingerprint, answer, endsAtMs: row.ends_at_ms ?? Number.POSITIVE_INFINITY }
  }

  const purge = (): void => {
    const ended = looked(() => selectEnded.all(clock.monotonicMs(), purgedAtOnce) as { id: string }[])
    const removable = ended.filter(({ id }) => !isUnanswered(id))
    if (removable.length > 0) {
      written(() => {
        for (const { id } of removable) remove.run(id)
      }).catch(ignoreFull)
    }
    cancelPurge = clock.after(removable.length === purgedAtOnce ? 1_000 : purgeIntervalMs, purge)
  }
  let cancelPurge = clock.after(purgeIntervalMs, purge)

  return {
    name,

    async find(id) {
      const remembered = inMemory.get(id)
      if (remembered) return remembered
      const entry = read(id)
      return entry && entry.endsAtMs >= clock.monotonicMs() ? entry : undefined
    },

    async findUnanswered(id) {
      return read(id)
    },

    async forgetEnded(id) {
      const entry = read(id)
      if (entry && entry.endsAtMs < clock.monotonicMs()) await written(() => remove.run(id))
    },

    async recordIntent({ id, fingerprint, operationName }) {
      if (!ballast.isWhole()) throw new JournalFullError('no room in SERVICE_STATE_DIR')
      inMemory.delete(id)
      await written(() => insertIntent.run(id, fingerprint, operationName))
    },

    async recordAnswer({ id, fingerprint, operationName }, answer, keepMs) {
      const text = JSON.stringify(answer)
      const apply = () =>
        upsertAnswer.run(id, fingerprint, operationName, text, clock.monotonicMs() + keepMs, clock.wallMs() + keepMs)
      await writtenForSure(apply)
      inMemory.set(id, { fingerprint, answer }, { ttl: keepMs })
    },

    async release(id) {
      inMemory.delete(id)
      await writtenForSure(() => remove.run(id))
    },

    async close() {
      cancelPurge()
      commits.flush()
      db.close()
    },
  }
}

/**
 * Takes over what the process before left: calls that were under way are in doubt from now on, and what is left of each
 * window is counted by this process's monotonic clock.
 */
function settleFormerProcess(db: DatabaseSync, clock: Clock): void {
  const [nowMs, wallMs, windowMs] = [clock.monotonicMs(), clock.wallMs(), limits.idempotencyWindowMs]
  db.exec('BEGIN IMMEDIATE')
  db.prepare('UPDATE call SET answer = ?, ends_at_wall_ms = ? WHERE answer IS NULL').run(
    JSON.stringify(inDoubtAfterRestart),
    wallMs + windowMs,
  )
  // A wall clock that was set back must not keep an answer for longer than its window.
  db.prepare('UPDATE call SET ends_at_wall_ms = min(ends_at_wall_ms, ?)').run(wallMs + windowMs)
  db.prepare('UPDATE call SET ends_at_ms = ? + ends_at_wall_ms - ?').run(nowMs, wallMs)
  db.exec('COMMIT')
}

const sqliteFull = 13

function isFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteFull
}

/** What could not be removed now is removed the next time. */
function ignoreFull(error: unknown): void {
  if (!(error instanceof JournalFullError)) throw error
}
