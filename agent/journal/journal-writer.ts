import type { DatabaseSync } from 'node:sqlite'
import { JournalFullError } from '../call/idempotency-journal.ts'
import { codeOfFullDisk } from '../durable-files/database-fault.ts'
import { RemovedError, trackFile } from '../durable-files/same-file.ts'

const cureOfRemoved =
  'What was sent is forgotten with it. Put it back if it was moved; else start the agent again, and ids of the last ten minutes are new'

/** Whether a commit waits for the disk, or may be lost in a power cut. */
export type Sync = 'synced' | 'unsynced'

/** Commits to the database, and reads from it. Tells a full disk, after which the agent goes on, from every other failure. */
export class JournalWriter {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #isSameFile: () => boolean
  readonly #onFatal: (error: Error) => void
  #sync: Sync | undefined

  constructor(db: DatabaseSync, path: string, onFatal: (error: Error) => void) {
    this.#db = db
    this.#path = path
    this.#isSameFile = trackFile(path)
    this.#onFatal = onFatal
  }

  /**
   * Runs the work as one transaction. Returns when kill -9 cannot undo it any more, and a `synced` one when a power cut
   * cannot either. A sync covers all commits before it.
   *
   * @throws {JournalFullError} There is no space. Nothing was written.
   */
  commit<Result>(sync: Sync, work: () => Result): Result {
    this.assertSameFile()
    try {
      this.#setSync(sync)
      this.#db.exec('BEGIN IMMEDIATE')
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      const code = codeOfFullDisk(error, this.#path)
      if (code !== undefined) throw new JournalFullError(code, error)
      throw this.#failForGood(error)
    }
  }

  /** Runs a read. A journal that cannot be read says nothing about what was sent, so a failure ends the agent. */
  read<Result>(query: () => Result): Result {
    try {
      return query()
    } catch (error) {
      throw this.#failForGood(error)
    }
  }

  /** SQLite ignores this inside a transaction. */
  #setSync(sync: Sync): void {
    if (sync === this.#sync) return
    this.#db.exec(`PRAGMA synchronous = ${sync === 'synced' ? 'FULL' : 'NORMAL'}`)
    this.#sync = sync
  }

  /** @throws {RemovedError} Nobody would find again what is written from now on. */
  assertSameFile(): void {
    if (!this.#isSameFile()) throw this.#failForGood(new RemovedError('SERVICE_STATE_DIR', this.#path, cureOfRemoved))
  }

  #failForGood(error: unknown): unknown {
    this.#onFatal(error as Error)
    return error
  }

  #rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    } catch {
      // The error that made the commit fail is the one to report.
    }
  }
}
