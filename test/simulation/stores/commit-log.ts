import type { Random } from '../random.ts'

/** One commit, as a function that can be run again: the same rows before give the same rows after. */
export type Commit<Rows> = (rows: Rows) => void

/**
 * What a store has on its disk. Commits follow one another, as in a write-ahead log: every process finds those that
 * another one made before it was killed, and a power cut takes back the last ones that were not synced.
 */
export class CommitLog<Rows> {
  readonly #synced: Rows
  #committed: Rows
  #unsynced: Commit<Rows>[] = []
  #syncedCount = 0

  /** @param empty Commits change what it is given; the values in it are never changed. */
  constructor(empty: Rows) {
    this.#synced = empty
    this.#committed = structuredClone(empty)
  }

  /** What a process reads. */
  get rows(): Readonly<Rows> {
    return this.#committed
  }

  /** What a power cut leaves for certain. */
  get syncedRows(): Readonly<Rows> {
    return this.#synced
  }

  /** Number of commits so far. */
  get count(): number {
    return this.#syncedCount + this.#unsynced.length
  }

  commit(change: Commit<Rows>): void {
    change(this.#committed)
    this.#unsynced.push(change)
  }

  /** This number of the first commits survive a power cut from now on. */
  sync(count: number): void {
    const synced = this.#unsynced.splice(0, Math.max(0, count - this.#syncedCount))
    for (const change of synced) change(this.#synced)
    this.#syncedCount += synced.length
  }

  /** @param random Says how many of the last commits are lost. */
  cutPower(random: Pick<Random, 'integer'>): void {
    this.sync(this.#syncedCount + random.integer(0, this.#unsynced.length))
    this.#unsynced = []
    this.#committed = structuredClone(this.#synced)
  }
}
