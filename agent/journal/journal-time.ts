import type { Clock } from '../clock/clock.ts'

/** When an entry's window ends, as it was written. */
export interface WrittenEnd {
  /** In the journal time of the process that wrote it. */
  readonly ends_at_ms: number
  /** By the wall clock, for the processes after that one. */
  readonly ends_at_wall_ms: number
}

/**
 * The time by which windows end, in ms. In one process it runs by the monotonic clock. Each process begins where the
 * latest window of all before it ends, so an end says by itself whether this process wrote it; those written before are
 * read by the wall clock as it stood at the start. So a start rewrites no row that only grew older.
 */
export class JournalTime {
  readonly #clock: Clock
  readonly #beginMs: number
  readonly #beganMs: number
  readonly #beganWallMs: number

  /** @param latestEndMs The latest `ends_at_ms` that stands in the journal; 0 in an empty one. */
  constructor(clock: Clock, latestEndMs: number) {
    this.#clock = clock
    this.#beginMs = latestEndMs
    this.#beganMs = clock.monotonicMs()
    this.#beganWallMs = clock.wallMs()
  }

  /** The journal time of this process. */
  nowMs(): number {
    return this.#beginMs + this.#clock.monotonicMs() - this.#beganMs
  }

  /** What is written for a window that begins now. */
  endAfter(keepMs: number): WrittenEnd {
    return { ends_at_ms: this.nowMs() + keepMs, ends_at_wall_ms: this.#clock.wallMs() + keepMs }
  }

  /** When a window ends, in the journal time of this process. */
  endMsOf({ ends_at_ms, ends_at_wall_ms }: WrittenEnd): number {
    if (ends_at_ms > this.#beginMs) return ends_at_ms
    return this.#beginMs + ends_at_wall_ms - this.#beganWallMs
  }
}
