import type { DatabaseSync } from 'node:sqlite'

interface Write {
  readonly apply: () => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits the writes of one turn of the event loop together: one sync to disk for all of them. A write resolves when
 * it survives a power cut; when the commit fails, none of its writes was made.
 */
export class GroupCommit {
  readonly #db: DatabaseSync
  #writes: Write[] = []

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  write(apply: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ apply, resolve, reject })
      if (this.#writes.length === 1) setImmediate(() => this.flush())
    })
  }

  /** Commits what waits, now. */
  flush(): void {
    const writes = this.#writes
    this.#writes = []
    if (writes.length === 0) return
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      for (const { apply } of writes) apply()
      this.#db.exec('COMMIT')
    } catch (error) {
      this.#rollBack()
      for (const { reject } of writes) reject(error)
      return
    }
    for (const { resolve } of writes) resolve()
  }

  #rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    } catch {
      // What made the commit fail is what is told.
    }
  }
}
