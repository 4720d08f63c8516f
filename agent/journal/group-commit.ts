import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock/clock.ts'

interface Write {
  readonly apply: () => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** A disk that takes longer than this is slow, and nobody gains from waiting for it as long again. */
const restMsMax = 10

/**
 * Commits what comes together in one: one sync to disk for all of it. A write resolves when it survives a power cut; when
 * the commit fails, none of its writes was made.
 *
 * A commit holds up everything else, for the disk is waited for in place. So the next one begins as long after it as it
 * took, and has more in it; a write that comes alone waits for nothing.
 */
export class GroupCommit {
  readonly #db: DatabaseSync
  readonly #clock: Clock
  readonly #assertStanding: () => void
  #writes: Write[] = []
  #notBeforeMs = 0

  /** @param assertStanding Throws what the writes of a commit are rejected with, when nobody would find them again. */
  constructor(db: DatabaseSync, clock: Clock, assertStanding: () => void) {
    this.#db = db
    this.#clock = clock
    this.#assertStanding = assertStanding
  }

  /** @returns What `apply` returned. */
  write<Result>(apply: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ apply, resolve, reject })
      if (this.#writes.length > 1) return
      const restMs = this.#notBeforeMs - this.#clock.monotonicMs()
      if (restMs > 0) this.#clock.after(restMs, () => this.flush())
      else setImmediate(() => this.flush())
    })
  }

  /** Commits what waits, now. */
  flush(): void {
    const writes = this.#writes
    this.#writes = []
    if (writes.length === 0) return
    const startedMs = this.#clock.monotonicMs()
    let results: readonly unknown[]
    try {
      this.#assertStanding()
      this.#db.exec('BEGIN IMMEDIATE')
      results = writes.map(({ apply }) => apply())
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#rollBack()
      for (const { reject } of writes) reject(error)
      return
    }
    const endedMs = this.#clock.monotonicMs()
    this.#notBeforeMs = endedMs + Math.min(endedMs - startedMs, restMsMax)
    for (const [n, { resolve }] of writes.entries()) resolve(results[n] as never)
  }

  #rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    } catch {
      // What made the commit fail is what is told.
    }
  }
}
