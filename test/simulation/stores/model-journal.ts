import { type CallAnswer, inDoubt } from '../../../agent/call/answer.ts'
import { isHarmfulTwice, isSentOnce, type JournalEntry } from '../../../agent/call/idempotency-journal.ts'
import { NotedObservations } from '../../../agent/call/noted-observations.ts'
import type { Journal } from '../../../agent/call/open-journal.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import type { Clock } from '../../../agent/clock/clock.ts'
import { repeat } from '../../../agent/clock/repeat.ts'
import { storeRoom } from '../../../agent/database/room.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { limits } from '../../../contract/limits.ts'
import { CommitLog } from './commit-log.ts'
import { ModelWriter, type ModelWriterParts } from './model-writer.ts'

/** The row of a call. A `once` call that is under way has neither answer nor end. Times are those of the journal. */
interface CallRow {
  readonly fingerprint: string
  readonly answer: CallAnswer | null
  readonly endsAtMs: number
}

/** What a journal has on its disk. */
export interface JournalRows {
  readonly name: string
  /** The wall clock less the time of the journal. */
  wallOffsetMs: number
  attemptLifetimeMs: number
  readonly calls: Map<string, CallRow>
  readonly repairs: Map<string, { readonly quantity: number; readonly dueAtMs: number }>
}

/** A journal that no process has opened yet. */
export function newJournalLog(name: string): CommitLog<JournalRows> {
  return new CommitLog({ name, wallOffsetMs: 0, attemptLifetimeMs: 0, calls: new Map(), repairs: new Map() })
}

/** What the model of the journal works with. */
export interface ModelJournalOptions extends ModelWriterParts<JournalRows> {
  readonly clock: Clock
  /** As in `JournalOptions`. */
  readonly isUnanswered: (id: string) => boolean
  /** As in `JournalOptions`. */
  readonly onFull: (cause: Error | undefined) => void
}

/** Answers that find room on a full disk, because space is kept for them. */
const reserveCommits = 200
const purgeMs = 60_000
/** A smaller difference between the wall clock and the journal's time is drift. */
const offsetToleranceMs = 1_000

/** The journal over rows in memory: the promises of `Journal`, as `openSqliteJournal` keeps them. */
export function openModelJournal(options: ModelJournalOptions): Journal & RepairJournal {
  const { log, clock, isUnanswered, onFull } = options
  const writer = new ModelWriter(options)
  const startMs = clock.wallMs() - writer.read().wallOffsetMs - clock.monotonicMs()
  const nowMs = () => startMs + clock.monotonicMs()
  let reserve = reserveCommits
  const room = storeRoom({
    clock,
    tryToWrite() {
      writer.commit('look for room', () => undefined)
      reserve = reserveCommits
    },
    onChange: onFull,
  })

  function commitIfRoom(what: string, change: (rows: JournalRows) => void): void {
    room.commit(() => writer.commit(what, change))
  }

  /** For a call that was already sent. */
  function commitForSure(what: string, change: (rows: JournalRows) => void): void {
    try {
      writer.commit(what, change)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      room.report(error)
      if (reserve-- <= 0) throw error
      log.commit(change)
    }
  }

  function storeOffset(commit: typeof commitForSure): void {
    const wallOffsetMs = clock.wallMs() - nowMs()
    if (Math.abs(wallOffsetMs - writer.read().wallOffsetMs) < offsetToleranceMs) return
    commit('store the clock', (rows) => {
      rows.wallOffsetMs = wallOffsetMs
    })
  }

  function find(id: string): (JournalEntry & CallRow) | undefined {
    const row = writer.read().calls.get(id)
    return row && { ...row, answer: row.answer ?? inDoubt }
  }

  function findLive(id: string): (JournalEntry & CallRow) | undefined {
    const entry = find(id)
    return entry && entry.endsAtMs >= nowMs() ? entry : undefined
  }

  const latestEndMs = nowMs() + limits.idempotencyWindowMs
  commitForSure('settle what was under way', ({ calls }) => settleCalls(calls, latestEndMs))
  room.look()
  const purge = async () => {
    const ended = endedCalls(writer.read().calls, nowMs(), isUnanswered)
    const forget = ({ calls }: JournalRows) => {
      for (const id of ended) calls.delete(id)
    }
    if (ended.length > 0) ignoreFull(() => commitIfRoom('purge', forget))
  }
  let stopPurging = clock.after(purgeMs, () => {
    stopPurging = repeat(clock, purgeMs, purge)
  })

  const journal: Journal & RepairJournal = {
    name: log.rows.name,

    openObservations: (given) => new NotedObservations(journal, given),

    async claim({ id }) {
      const entry = findLive(id)
      return entry ? { kind: 'stored', ...entry } : { kind: 'own' }
    },

    find: async (id) => findLive(id),

    findUnanswered: async (id) => find(id),

    async forgetEnded(id) {
      const entry = find(id)
      if (!entry || entry.endsAtMs >= nowMs()) return
      commitForSure(`forget ${id}`, ({ calls }) => void calls.delete(id))
      await writer.sync()
    },

    async recordIntent(call) {
      room.assert()
      if (!isSentOnce(call)) return
      const { id, fingerprint } = call
      const row = { fingerprint, answer: null, endsAtMs: Number.POSITIVE_INFINITY }
      commitIfRoom(`intent of ${id}`, ({ calls }) => put(calls, id, row))
      await writer.sync()
    },

    async recordAnswer(call, answer, keepMs) {
      storeOffset(commitForSure)
      const { id, fingerprint } = call
      const row = { fingerprint, answer, endsAtMs: nowMs() + keepMs }
      commitForSure(`answer of ${id}`, ({ calls }) => put(calls, id, row))
      if (isHarmfulTwice(call)) await writer.sync()
    },

    async release({ id }) {
      if (writer.read().calls.has(id)) commitForSure(`release ${id}`, ({ calls }) => void calls.delete(id))
    },

    async begin(lifetimeMs) {
      const { attemptLifetimeMs: earlierMs } = writer.read()
      commitForSure('begin', (rows) => {
        rows.attemptLifetimeMs = lifetimeMs
      })
      await writer.sync()
      return earlierMs
    },

    async findRepairs() {
      return [...writer.read().repairs].map(([itemRef, { quantity, dueAtMs }]) => {
        return { itemRef, quantity, dueInMs: dueAtMs - nowMs() }
      })
    },

    async noteRepair({ itemRef, quantity, dueInMs }) {
      room.assert()
      storeOffset(commitIfRoom)
      const row = { quantity, dueAtMs: nowMs() + dueInMs }
      commitIfRoom(`repair of ${itemRef}`, ({ repairs }) => void repairs.set(itemRef, row))
      await writer.sync()
    },

    async removeRepair(itemRef) {
      commitForSure(`repaired ${itemRef}`, ({ repairs }) => void repairs.delete(itemRef))
      await writer.sync()
    },

    async endCleanly() {
      commitForSure('end cleanly', (rows) => {
        rows.attemptLifetimeMs = 0
      })
    },

    count: async () => writer.read().calls.size,

    async close() {
      room.close()
      stopPurging()
    },
  }
  return journal
}

/** A row that is written again becomes the newest. */
function put(calls: Map<string, CallRow>, id: string, row: CallRow): void {
  calls.delete(id)
  calls.set(id, row)
}

/** Calls whose window has ended, from the oldest row up to the first whose window has not. */
function endedCalls(
  calls: ReadonlyMap<string, CallRow>,
  nowMs: number,
  isUnanswered: (id: string) => boolean,
): readonly string[] {
  const ended: string[] = []
  for (const [id, { answer, endsAtMs }] of calls) {
    if (answer === null || isUnanswered(id)) continue
    if (endsAtMs >= nowMs) break
    ended.push(id)
  }
  return ended
}

/** What cannot be written because the disk is full is written the next time. */
function ignoreFull(commit: () => void): void {
  try {
    commit()
  } catch (error) {
    if (!(error instanceof StoreFullError)) throw error
  }
}

/** Calls of an earlier process that were under way are in doubt, and no window ends later than a whole one from now. */
function settleCalls(calls: Map<string, CallRow>, latestEndMs: number): void {
  for (const [id, row] of calls) {
    if (row.answer === null) calls.set(id, { ...row, answer: inDoubt, endsAtMs: latestEndMs })
    else if (row.endsAtMs > latestEndMs) calls.set(id, { ...row, endsAtMs: latestEndMs })
  }
}
