import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { limits } from '../../contract/limits.ts'
import { type CallAnswer, inDoubt } from '../call/answer.ts'
import { isHarmfulTwice, isSentOnce, type JournalEntry } from '../call/idempotency-journal.ts'
import { NotedObservations } from '../call/noted-observations.ts'
import type { Journal, JournalOptions } from '../call/open-journal.ts'
import type { RepairJournal } from '../call/repair-journal.ts'
import { repeat } from '../clock/repeat.ts'
import { DatabaseWriter, type Writer } from '../database/database-writer.ts'
import { storeRoom } from '../database/room.ts'
import { ignoreStoreFailure, StoreFullError } from '../database/store-errors.ts'
import { Ballast } from './ballast.ts'
import { openStore, type Store } from './open-store.ts'
import { startPurging } from './purge.ts'
import { repairTable } from './repair-table.ts'
import { journalDatabase } from './schema.ts'

interface Entry extends JournalEntry {
  readonly endsAtMs: number
}

/** Between two looks whether the database is still the file of its path. A sync looks too, so a `once` call never waits for this. */
const removalIntervalMs = 1_000
/** Some 4 MB. All others are read from the database. */
const cachedTextMax = 2 * 1024 * 1024

/**
 * Opens the journal in `journal.db` of the state directory.
 *
 * @throws As `OpenJournal`.
 */
export function openSqliteJournal(options: JournalOptions): Journal & RepairJournal {
  const { stateDir, clock, onFatal } = options
  const ballast = new Ballast(stateDir)
  const store = openStore(stateDir, clock, ballast)
  const writer = new DatabaseWriter(store.db, {
    path: join(stateDir, journalDatabase.fileName),
    cureOfRemoval: journalDatabase.cureOfRemoval,
    onFatal,
  })
  return journalOver({ ...store, writer, ballast }, options)
}

/** What a journal keeps its rows in. */
export interface JournalParts extends Store {
  readonly writer: Writer
  readonly ballast: Pick<Ballast, 'fill' | 'drop'>
}

/** The journal over its database. */
export function journalOver(
  { db, time, calls, writer, ballast }: JournalParts,
  { clock, isUnanswered, onFull }: Pick<JournalOptions, 'clock' | 'isUnanswered' | 'onFull'>,
): Journal & RepairJournal {
  const repairs = repairTable(db, time)
  const name = String(db.prepare('SELECT name FROM journal').get()?.['name'])
  const cache = new LRUCache<string, Entry>({
    maxSize: cachedTextMax,
    sizeCalculation: ({ answer }, id) => id.length + (answer.ok ? answer.dataText : answer.messageText).length + 200,
  })
  const room = storeRoom({
    clock,
    tryToWrite() {
      ballast.fill()
      writer.commitAll(() => calls.touch())
    },
    onChange: onFull,
  })
  room.look()
  const stopLooking = repeat(clock, removalIntervalMs, async () => writer.reportRemoval())
  /**
   * Resolves when no power cut can bring back a row that was purged, also by an earlier process. Undefined if nobody has
   * needed that since.
   */
  let purged: Promise<void> | undefined
  const stopPurging = startPurging({
    calls,
    time,
    clock,
    isUnanswered,
    commit(work) {
      const result = room.commit(() => writer.commitAll(work))
      purged = undefined
      return result
    },
  })

  function read(id: string): Entry | undefined {
    const cached = cache.get(id)
    if (cached) return cached
    const row = writer.read(() => calls.read(id))
    if (!row) return undefined
    const answer = row.answer === null ? inDoubt : (JSON.parse(row.answer) as CallAnswer)
    return { fingerprint: row.fingerprint, answer, endsAtMs: row.ends_at_ms ?? Number.POSITIVE_INFINITY }
  }

  function readLive(id: string): Entry | undefined {
    const entry = read(id)
    return entry && entry.endsAtMs >= time.nowMs() ? entry : undefined
  }

  /** For what must be stored, if necessary in the space that is kept for it. */
  function commitForSure(work: () => void): void {
    try {
      writer.commit(work)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      ballast.drop()
      room.report(error)
      writer.commit(work)
    }
  }

  const journal: Journal & RepairJournal = {
    name,
    unansweredKeptMs: Number.POSITIVE_INFINITY,

    openObservations: (options) => new NotedObservations(journal, options),

    async claim({ id }) {
      const entry = readLive(id)
      return entry ? { kind: 'stored', ...entry } : { kind: 'own' }
    },

    async find(id) {
      return readLive(id)
    },

    async findUnanswered(id) {
      return read(id)
    },

    async forgetEnded(id) {
      const entry = read(id)
      if (!entry) {
        purged ??= writer.sync()
        return purged
      }
      if (entry.endsAtMs >= time.nowMs()) return
      cache.delete(id)
      commitForSure(() => calls.delete(id))
      await writer.sync()
    },

    async recordIntent(call) {
      room.assert()
      if (!isSentOnce(call)) return
      cache.delete(call.id)
      room.commit(() => writer.commit(() => calls.replace(call, null, null)))
      await writer.sync()
    },

    async recordAnswer(call, answer, keepMs) {
      time.storeOffset(commitForSure)
      const endsAtMs = time.nowMs() + keepMs
      commitForSure(() => calls.replace(call, JSON.stringify(answer), endsAtMs))
      if (isHarmfulTwice(call)) await writer.sync()
      cache.set(call.id, { fingerprint: call.fingerprint, answer, endsAtMs })
    },

    async restartWindow(id, answer) {
      const row = writer.read(() => calls.read(id))
      if (row?.answer !== JSON.stringify(answer) || !isSentOnce({ operationName: row.operation })) return
      const call = { id, fingerprint: row.fingerprint, operationName: row.operation }
      await journal.recordAnswer(call, answer, limits.idempotencyWindowMs).catch(ignoreStoreFailure)
    },

    async release({ id }) {
      if (!read(id)) return
      cache.delete(id)
      commitForSure(() => calls.delete(id))
    },

    async begin(lifetimeMs) {
      const earlierMs = writer.read(() => repairs.readLifetime())
      commitForSure(() => repairs.writeLifetime(lifetimeMs))
      await writer.sync()
      return earlierMs
    },

    async findRepairs() {
      return writer.read(() => repairs.list())
    },

    async noteRepair(repair) {
      room.assert()
      time.storeOffset((write) => room.commit(() => writer.commit(write)))
      room.commit(() => writer.commit(() => repairs.replace(repair)))
      await writer.sync()
    },

    async removeRepair(itemRef) {
      commitForSure(() => repairs.remove(itemRef))
      await writer.sync()
    },

    async endCleanly() {
      // Without it the next process would take what is due later for due now.
      time.storeOffset(commitForSure)
      commitForSure(() => repairs.writeLifetime(0))
    },

    async count() {
      return writer.read(() => calls.count())
    },

    async close() {
      stopLooking()
      stopPurging()
      try {
        // The next process goes by the wall clock, which may have been set since the last write.
        time.storeOffset(commitForSure)
      } catch (error) {
        ignoreStoreFailure(error)
      } finally {
        room.close()
        await writer.close()
      }
    },
  }
  return journal
}
