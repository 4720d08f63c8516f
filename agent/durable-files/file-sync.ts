import { closeSync, fsync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { SharedSync } from './shared-sync.ts'

const fsyncInPool = promisify(fsync)

/** Syncs one file to disk, on the thread pool: one sync for all that ask for it at the same time. */
export class FileSync {
  readonly #fd: number
  readonly #shared: SharedSync

  constructor(path: string) {
    this.#fd = openSync(path, 'r+')
    this.#shared = new SharedSync(() => fsyncInPool(this.#fd))
  }

  /** Resolves when everything that was written before this call survives a power cut. */
  sync(): Promise<void> {
    return this.#shared.ask()
  }

  /** Waits for the sync that runs. */
  async close(): Promise<void> {
    await this.#shared.settled()
    closeSync(this.#fd)
  }
}
