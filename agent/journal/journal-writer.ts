import type { DatabaseSync } from 'node:sqlite'
import { JournalFullError } from '../call/idempotency-journal.ts'
import { codeOfFullDisk } from '../durable-files/database-fault.ts'
import { SyncFailedError } from '../durable-files/disk-errors.ts'
import { FileSync } from '../durable-files/file-sync.ts'
import { RemovedError, trackFile } from '../durable-files/same-file.ts'
import { codeOf } from '../durable-files/system-errors.ts'

const cureOfRemoved =
  'What was sent is forgotten with it. Put it back if it was moved; else start the agent again, and ids of the last ten minutes are new'

/** Commits to the database, and reads from it. Tells a full disk, after which the agent goes on, from every other failure. */
export class JournalWriter {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #isSameFile: () => boolean
  readonly #onFatal: (error: Error) => void
  readonly #wal: FileSync

  constructor(db: DatabaseSync, path: string, onFatal: (error: Error) => void) {
    this.#db = db
    this.#path = path
    this.#isSameFile = trackFile(path)
    this.#onFatal = onFatal
    // SQLite makes the WAL with the first commit and keeps it until the database is closed.
    this.#wal = new FileSync(`${path}-wal`)
  }

  /**
   * Runs the work as one transaction. Returns when kill -9 cannot undo it any more.
   *
   * @throws {JournalFullError} There is no space. Nothing was written.
   */
  commit<Result>(work: () => Result): Result {
    this.assertSameFile()
    try {
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

  /**
   * Resolves when a power cut cannot undo the commits before this call. The same as `synchronous=FULL`, but the calls beside
   * it do not wait, and several commits share one sync.
   */
  async sync(): Promise<void> {
    try {
      await this.#wal.sync()
    } catch (error) {
      throw this.#failForGood(new SyncFailedError(`a sync to disk failed (${codeOf(error)})`, { cause: error }))
    }
  }

  close(): Promise<void> {
    return this.#wal.close()
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
