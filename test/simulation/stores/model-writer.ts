import type { Writer } from '../../../agent/database/database-writer.ts'
import { inTransaction } from '../../../agent/database/in-transaction.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { SyncFailedError } from '../../../agent/durable-files/disk-errors.ts'
import { SharedSync } from '../../../agent/durable-files/shared-sync.ts'
import { isOutOfSpace } from '../../../agent/durable-files/system-errors.ts'
import type { DiskFaults } from '../disk/disk-faults.ts'
import { systemError } from '../disk/system-error.ts'
import type { ModelProcess } from '../process.ts'
import type { ModelDatabase } from './model-database.ts'

/** What a writer works with, as one process has it. */
export interface ModelWriterParts {
  readonly database: ModelDatabase
  /** What it is called in traces and faults. */
  readonly path: string
  readonly process: ModelProcess
  readonly faults: DiskFaults
  /** Called when the store fails for another reason than a full disk. */
  readonly onFatal: (error: Error) => void
}

/** Commits that find room on a full disk when the ballast is gone. */
const ballastCommits = 200

/** Commits and reads as `DatabaseWriter` does, with the faults of the host's disk. Nobody removes its file. */
export class ModelWriter implements Writer {
  readonly #parts: ModelWriterParts
  readonly #shared = new SharedSync(() => this.#syncNow())
  #roomLeft = 0

  constructor(parts: ModelWriterParts) {
    this.#parts = parts
  }

  /** The disk space that is kept in reserve. */
  readonly ballast = {
    fill: (): void => {
      const { process, path, faults } = this.#parts
      process.enter(`fill the ballast of ${path}`)
      const code = faults.failureOf('write', path)?.code
      if (code !== undefined) throw systemError(code, 'write', path)
      this.#roomLeft = 0
    },
    drop: (): void => {
      this.#roomLeft = ballastCommits
    },
  }

  commit<Result>(statement: () => Result): Result {
    const { process, path, database } = this.#parts
    process.enter(`commit in ${path}`)
    this.#assertRoom()
    const result = statement()
    database.noteCommit()
    return result
  }

  commitAll<Result>(work: () => Result): Result {
    const { process, path, database } = this.#parts
    const { db } = database
    process.enter(`commit in ${path}`)
    const changes = () => db.prepare('SELECT total_changes() AS changes').get()?.['changes']
    const result = inTransaction(db, () => {
      const before = changes()
      const done = work()
      // What changes nothing needs no room.
      if (changes() !== before) this.#assertRoom()
      return done
    })
    database.noteCommit()
    return result
  }

  read<Result>(query: () => Result): Result {
    const { process, path } = this.#parts
    process.enter(`read ${path}`)
    this.#assertNoFault('read')
    return query()
  }

  sync(): Promise<void> {
    return this.#shared.ask()
  }

  #syncNow(): Promise<void> {
    const { process, path, database, faults } = this.#parts
    const end = database.beginSync()
    return process.enterSlowly(`fsync ${path}`, process.random.magnitude(0.05, faults.slowMsMax.value), () => {
      this.#assertNoFault('fsync')
      end()
    })
  }

  reportRemoval(): undefined {
    return undefined
  }

  async close(): Promise<void> {
    // The next process uses it.
  }

  #assertRoom(): void {
    if (this.#roomLeft > 0) this.#roomLeft--
    else this.#assertNoFault('write')
  }

  #assertNoFault(call: string): void {
    const { path, faults, onFatal } = this.#parts
    const code = faults.failureOf(call, path)?.code
    if (code === undefined) return
    const cause = systemError(code, call, path)
    if (call === 'write' && isOutOfSpace(cause)) throw new StoreFullError(code, cause)
    const error = call === 'fsync' ? new SyncFailedError(`a sync to disk failed (${code})`, { cause }) : cause
    onFatal(error)
    throw error
  }
}
