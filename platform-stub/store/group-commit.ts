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
/** A group is bounded so that nobody waits long for strangers. */
const groupSizeMax = 256

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Who is told how each transaction ended. */
export interface CommitListeners {
  /** After each commit, before its work is answered. */
  readonly committed: () => void
  /** What ran since the last commit has not happened. Some of it may run again. */
  readonly undone: () => void
  /** After a commit that failed, before its work is told so. */
  readonly failed: (error: CommitFailedError) => void
}

/**
 * Runs pieces of work in database transactions. A commit costs one write however much it holds, so pieces that arrive on
 * each other's heels share one, and are answered only after it: what they did then outlives the process. A piece that
 * throws spoils what it shares, so all of it is undone and each piece runs again by itself; a savepoint around each would
 * spare that rare case its second run and cost every verified read a tenth.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #statements
  readonly #told: CommitListeners
  #waiting: Waiting[] = []
  #isScheduled = false
  #isOpen = true

  constructor(database: DatabaseSync, told: CommitListeners) {
    this.#database = database
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
   * @param work Synchronous; touches nothing but the database and the log, and may run twice. What it throws undoes its
   *   writes and is thrown here.
   * @throws {CommitFailedError} Nothing of the group has happened.
   */
  transact<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) return reject(new Error('the store is closed'))
      this.#waiting.push({ work, resolve, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      this.#commitWhenComplete(1)
    })
  }

  /**
   * Waits another turn of the event loop as long as the last one brought more: of eight callers who are answered
   * together all are heard again within a turn or two, and a commit for each two of them would cost all a twelfth of
   * their time. Who is alone is not kept waiting.
   */
  #commitWhenComplete(known: number): void {
    setImmediate(() => {
      const count = this.#waiting.length
      if (count > known && count < groupSizeMax) this.#commitWhenComplete(count)
      else this.#commitGroup()
    })
  }

  /** Inside a transaction: a part that can fail and be undone while the rest stays. */
  undoable<Result>(work: () => Result): Result {
    const { save, release, undo } = this.#statements
    save.run()
    try {
      const result = work()
      release.run()
      return result
    } catch (error) {
      // SQLite may have given the whole transaction up, and the savepoint with it.
      if (this.#database.isTransaction) {
        undo.run()
        release.run()
      }
      throw error
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
      this.#commitWhenComplete(this.#waiting.length)
    }
    for (const answer of this.#run(group)) answer()
  }

  /** @returns What is to be told to whom. */
  #run(group: readonly Waiting[]): Answer[] {
    const { begin, commit } = this.#statements
    try {
      begin.run()
      const ran = this.#runPieces(group)
      if ('thrown' in ran) {
        this.#undo()
        return group.length > 1 ? group.flatMap((piece) => this.#run([piece])) : rejected(group, ran.thrown)
      }
      commit.run()
      this.#told.committed()
      return group.map(
        ({ resolve }, at) =>
          () =>
            resolve(ran.results[at] as never),
      )
    } catch (cause) {
      const error = new CommitFailedError(cause)
      this.#undo()
      this.#told.failed(error)
      return rejected(group, error)
    }
  }

  /** @throws What a piece throws by which SQLite gave the whole transaction up: that the disk is full, say. */
  #runPieces(group: readonly Waiting[]): { readonly results: readonly unknown[] } | { readonly thrown: unknown } {
    try {
      return { results: group.map(({ work }) => work()) }
    } catch (thrown) {
      if (!this.#database.isTransaction) throw thrown
      return { thrown }
    }
  }

  #undo(): void {
    try {
      if (this.#database.isTransaction) this.#statements.rollback.run()
    } catch {
      // What made it necessary is what is told; whoever begins next is told of this.
    }
    this.#told.undone()
  }
}

type Answer = () => void

function rejected(group: readonly Waiting[], error: unknown): Answer[] {
  return group.map(
    ({ reject }) =>
      () =>
        reject(error),
  )
}
