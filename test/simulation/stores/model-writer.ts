import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { SyncFailedError } from '../../../agent/durable-files/disk-errors.ts'
import { isOutOfSpace } from '../../../agent/durable-files/system-errors.ts'
import type { DiskFaults } from '../disk/disk-faults.ts'
import { systemError } from '../disk/system-error.ts'
import type { ModelProcess } from '../process.ts'
import type { Commit, CommitLog } from './commit-log.ts'

/** What a model store works with, as one process has it open. */
export interface ModelWriterParts<Rows> {
  readonly log: CommitLog<Rows>
  /** What it is called in traces and faults. */
  readonly path: string
  readonly process: ModelProcess
  readonly faults: DiskFaults
  /** Called when the store fails for another reason than a full disk. */
  readonly onFatal: (error: Error) => void
}

/** Reads and commits as `DatabaseWriter` does, with the faults of the host's disk. */
export class ModelWriter<Rows> {
  readonly #parts: ModelWriterParts<Rows>

  constructor(parts: ModelWriterParts<Rows>) {
    this.#parts = parts
  }

  /** What the store knows. @throws {Error} It cannot be read; the agent must stop. */
  read(): Readonly<Rows> {
    const { process, path, log } = this.#parts
    process.enter(`read ${path}`)
    this.#assertNoFault('read')
    return log.rows
  }

  /**
   * One transaction. A kill cannot undo it.
   *
   * @throws {StoreFullError} There is no space.
   */
  commit(what: string, change: Commit<Rows>): void {
    const { process, path, log } = this.#parts
    process.enter(`${what} in ${path}`)
    this.#assertNoFault('write')
    log.commit(change)
  }

  /** Resolves when a power cut cannot undo the commits before this call. */
  sync(): Promise<void> {
    const { process, path, log, faults } = this.#parts
    const { count } = log
    return process.enterSlowly(`fsync ${path}`, process.random.magnitude(0.05, faults.slowMsMax.value), () => {
      this.#assertNoFault('fsync')
      log.sync(count)
    })
  }

  #assertNoFault(call: string): void {
    const { path, faults, onFatal } = this.#parts
    const code = faults.errorOf(call, path)
    if (code === undefined) return
    const cause = systemError(code, call, path)
    if (call === 'write' && isOutOfSpace(cause)) throw new StoreFullError(code, cause)
    const error = call === 'fsync' ? new SyncFailedError(`a sync to disk failed (${code})`, { cause }) : cause
    onFatal(error)
    throw error
  }
}
