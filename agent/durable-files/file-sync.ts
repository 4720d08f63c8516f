import { closeSync, fsync, openSync } from 'node:fs'
import { promisify } from 'node:util'

const fsyncInPool = promisify(fsync)

/** Syncs one file to disk, on the thread pool: one sync for all callers that ask while another one runs. */
export class FileSync {
  readonly #fd: number
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(path: string) {
    this.#fd = openSync(path, 'r+')
  }

  /** Resolves when everything that was written before this call survives a power cut. */
  sync(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      // A sync that has begun does not cover later writes.
      this.#next = undefined
      this.#running = fsyncInPool(this.#fd)
      return this.#running
    })
    return this.#next
  }

  /** Waits for the sync that runs. */
  async close(): Promise<void> {
    await this.#next?.catch(() => undefined)
    await this.#running.catch(() => undefined)
    closeSync(this.#fd)
  }
}
