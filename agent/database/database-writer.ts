import type { DatabaseSync } from 'node:sqlite'
import { codeOfFullDisk, isBugOfOneChange } from '../durable-files/database-fault.ts'
import { SyncFailedError } from '../durable-files/disk-errors.ts'
import { FileSync } from '../durable-files/file-sync.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { RemovedError, trackFile } from '../durable-files/same-file.ts'
import { codeOf } from '../durable-files/system-errors.ts'
import { inTransaction } from './in-transaction.ts'
import { StoreFullError } from './store-errors.ts'

/** What a writer needs besides its database. */
export interface DatabaseWriterOptions {
  /** Of the database's file. */
  readonly path: string
  /** What a person can do if the file was removed while the agent ran. */
  readonly cureOfRemoval: () => string
  /** Called when the database fails for another reason than a full disk. */
  readonly onFatal: (error: Error) => void
}

/** Commits to a database, and reads from it. Below it is the disk. */
export interface Writer {
  /**
   * Runs one statement, which is a transaction by itself. Returns when kill -9 cannot undo it any more.
   *
   * @throws {StoreFullError} There is no space. Nothing was written.
   * @throws {Error} The statement breaks a constraint: a bug of this change. Nothing was written.
   */
  commit<Result>(statement: () => Result): Result
  /** As `commit`, for several statements in one transaction. */
  commitAll<Result>(work: () => Result): Result
  /** Runs a read. A database that cannot be read says nothing about what was done, so a failure ends the agent. */
  read<Result>(query: () => Result): Result
  /**
   * Resolves when a power cut cannot undo the commits before this call. The same as `synchronous=FULL`, but other calls
   * do not wait meanwhile, and several commits share one sync.
   *
   * @throws {RemovedError} The file was removed or replaced, and the commits with it.
   */
  sync(): Promise<void>
  /**
   * Ends the agent if the file was removed or replaced, because no later process could find what is written to it.
   *
   * @returns The reason, if it was.
   */
  reportRemoval(): RemovedError | undefined
  /** Closes the database. */
  close(): Promise<void>
}

/** The writer of a database in a file. Tells a full disk, after which the agent continues, from every other failure. */
export class DatabaseWriter implements Writer {
  readonly #db: DatabaseSync
  readonly #options: DatabaseWriterOptions
  readonly #isSameFile: () => boolean
  readonly #wal: FileSync

  constructor(db: DatabaseSync, options: DatabaseWriterOptions) {
    const { path } = options
    this.#db = db
    this.#options = options
    this.#isSameFile = trackFile(hostFiles, path)
    // SQLite makes the WAL with the first commit and keeps it until the database is closed.
    this.#wal = new FileSync(`${path}-wal`)
  }

  commit<Result>(statement: () => Result): Result {
    try {
      return statement()
    } catch (error) {
      const code = codeOfFullDisk(error, this.#options.path)
      if (code !== undefined) throw new StoreFullError(code, error)
      if (isBugOfOneChange(error)) throw error
      throw this.#failForGood(error)
    }
  }

  commitAll<Result>(work: () => Result): Result {
    return this.commit(() => inTransaction(this.#db, work))
  }

  read<Result>(query: () => Result): Result {
    try {
      return query()
    } catch (error) {
      throw this.#failForGood(error)
    }
  }

  async sync(): Promise<void> {
    const removal = this.reportRemoval()
    if (removal) throw removal
    try {
      await this.#wal.sync()
    } catch (error) {
      throw this.#failForGood(new SyncFailedError(`a sync to disk failed (${codeOf(error)})`, { cause: error }))
    }
  }

  async close(): Promise<void> {
    await this.#wal.close()
    this.#db.close()
  }

  reportRemoval(): RemovedError | undefined {
    if (this.#isSameFile()) return undefined
    const { path, cureOfRemoval, onFatal } = this.#options
    const removal = new RemovedError('SERVICE_STATE_DIR', path, cureOfRemoval())
    onFatal(removal)
    return removal
  }

  #failForGood(error: unknown): unknown {
    this.#options.onFatal(error as Error)
    return error
  }
}
