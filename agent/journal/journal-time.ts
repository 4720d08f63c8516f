import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock/clock.ts'

/** A smaller difference between the two clocks is drift, and not worth a write. */
const offsetToleranceMs = 1_000

/** The time of the journal. */
export type JournalTime = ReturnType<typeof journalTime>

/**
 * The time of the journal, in ms. It follows the monotonic clock while the process runs, so that it cannot be set. A new
 * process sets it by the wall clock: the database keeps how far the wall clock was from it at the last write.
 */
export function journalTime(db: DatabaseSync, clock: Clock) {
  const writeOffset = db.prepare('UPDATE journal SET wall_offset_ms = ?')
  let storedOffsetMs = Number(db.prepare('SELECT wall_offset_ms FROM journal').get()?.['wall_offset_ms'])
  const startMs = clock.wallMs() - storedOffsetMs
  const startMonotonicMs = clock.monotonicMs()
  const nowMs = () => startMs + clock.monotonicMs() - startMonotonicMs
  return {
    nowMs,
    /**
     * Stores the offset of the wall clock if that clock was set. Call it before a time is written.
     *
     * @param commit Runs the write. An error of it is thrown.
     */
    storeOffset(commit: (write: () => void) => void): void {
      const offsetMs = clock.wallMs() - nowMs()
      if (Math.abs(offsetMs - storedOffsetMs) < offsetToleranceMs) return
      commit(() => void writeOffset.run(offsetMs))
      storedOffsetMs = offsetMs
    },
  }
}
