import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock/clock.ts'

/** A smaller difference between the two clocks is drift, and not worth a write. */
const offsetToleranceMs = 1_000

/**
 * The time of the journal, in ms. It follows the monotonic clock while the process runs, so that it cannot be set. A new
 * process sets it by the wall clock: the database keeps how far the wall clock was from it at the last write.
 */
export class JournalTime {
  readonly #clock: Clock
  readonly #storeOffset
  readonly #startMs: number
  readonly #startMonotonicMs: number
  #storedOffsetMs: number

  constructor(db: DatabaseSync, clock: Clock) {
    this.#clock = clock
    this.#storeOffset = db.prepare('UPDATE journal SET wall_offset_ms = ?')
    this.#storedOffsetMs = Number(db.prepare('SELECT wall_offset_ms FROM journal').get()?.['wall_offset_ms'])
    this.#startMs = clock.wallMs() - this.#storedOffsetMs
    this.#startMonotonicMs = clock.monotonicMs()
  }

  nowMs(): number {
    return this.#startMs + this.#clock.monotonicMs() - this.#startMonotonicMs
  }

  /** Stores the offset of the wall clock if that clock was set. Call it before a time is written. */
  storeOffset(): void {
    const offsetMs = this.#clock.wallMs() - this.nowMs()
    if (Math.abs(offsetMs - this.#storedOffsetMs) < offsetToleranceMs) return
    this.#storeOffset.run(offsetMs)
    this.#storedOffsetMs = offsetMs
  }
}
