import type { DatabaseSync } from 'node:sqlite'

/** The disk refused a commit. What was to be written has not happened; nobody was told that it had. */
export class CommitFailedError extends Error {
  override readonly name = 'CommitFailedError'
  /** A full disk passes; anything else means that the store can no longer be trusted. */
  readonly isDiskFull: boolean

  constructor(cause: unknown) {
    super('the database could not commit', { cause })
    this.isDiskFull = cause instanceof Error && 'errcode' in cause && cause.errcode === sqliteFull
  }
}

const sqliteFull = 13
/** A group's size is bounded so that nobody waits long for strangers. */
const groupSizeMax = 256

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Who is told how each commit ended. */
export interface CommitListeners {
  /** After each commit, before its work is answered. */
  readonly committed: () => void
  /** After a commit that failed, before its work is told so. */
  readonly failed: (error: CommitFailedError) => void
}

/**
 * Runs pieces of work in database transactions. A commit costs one write however much it holds, so pieces
 * that arrive in the same turn of the event loop share one. Each keeps its own all-or-nothing through a savepoint, and
 * is answered only after the shared commit, which then outlives the process.
 */
export class GroupCommit {
  readonly #statements
  readonly #told: CommitListeners
  #waiting: Waiting[] = []
  #isScheduled = false
  #isOpen = true

  constructor(database: DatabaseSync, told: CommitListeners) {
    this.#told = told
    this.#statements = {
      begin: database.prepare('begin immediate'),
      commit: database.prepare('commit'),
      rollback: database.prepare('rollback'),
      save: database.prepare('savepoint piece'),
      release: database.prepare('release piece'),
      undo: database.prepare('rollback to piece'),
    }
  }

  /**
   * Runs `work` in a transaction and gives its result once that is committed.
   *
   * @param work Synchronous; touches nothing but the database and the log. What it throws undoes its writes and is thrown here.
   * @throws {CommitFailedError} Nothing of the group has happened.
   */
  transact<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) return reject(new Error('the store is closed'))
      this.#waiting.push({ work, resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(() => this.#commitGroup())
    })
  }

  /** Inside a transaction: a part that can fail and be undone while the rest stays. */
  undoable<Result>(work: () => Result): Result {
    const { save, release, undo } = this.#statements
    save.run()
    try {
      return work()
    } catch (error) {
      undo.run()
      throw error
    } finally {
      release.run()
    }
  }

  /** Commits what is waiting and takes nothing more. */
  close(): void {
    this.#isOpen = false
    while (this.#waiting.length > 0) this.#commitGroup()
  }

  #commitGroup(): void {
    this.#isScheduled = false
    const group = this.#waiting.splice(0, groupSizeMax)
    if (group.length === 0) return
    if (this.#waiting.length > 0) {
      this.#isScheduled = true
      setImmediate(() => this.#commitGroup())
    }
    const answers = this.#run(group)
    for (const answer of answers) answer()
  }

  /** @returns What is to be told to whom. */
  #run(group: readonly Waiting[]): (() => void)[] {
    const { begin, commit, rollback } = this.#statements
    try {
      begin.run()
      const answers = group.map((waiting) => this.#outcomeOf(waiting))
      commit.run()
      this.#told.committed()
      return answers
    } catch (cause) {
      const error = new CommitFailedError(cause)
      try {
        rollback.run()
      } catch {
        // SQLite has already rolled back by itself.
      }
      this.#told.failed(error)
      return group.map(
        ({ reject }) =>
          () =>
            reject(error),
      )
    }
  }

  #outcomeOf({ work, resolve, reject }: Waiting): () => void {
    try {
      const result = this.undoable(work) as never
      return () => resolve(result)
    } catch (error) {
      return () => reject(error)
    }
  }
}
