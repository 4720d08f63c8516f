import { closeSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivate } from '../durable-files/private-file.ts'

const ballastBytes = 4 * 1024 * 1024
/**
 * Space that must be free in addition to the ballast when it is made, so that the disk is not full again at the next
 * call.
 */
const slackBytes = 1024 * 1024
const chunk = Buffer.alloc(65_536)

/** Disk space in reserve. When the disk is full, dropping it makes room for the answers of calls that were already sent. */
export class Ballast {
  readonly #path: string

  constructor(stateDir: string) {
    this.#path = join(stateDir, 'ballast')
  }

  /**
   * Makes the ballast if it is missing.
   *
   * @throws {NodeJS.ErrnoException} There is no room, no right, or no file descriptor for it.
   */
  fill(): void {
    makePrivate(this.#path)
    if (statSync(this.#path, { throwIfNoEntry: false })?.size === ballastBytes) return
    try {
      const fd = openSync(this.#path, 'w', 0o600)
      try {
        // Written, because a file that only has this length takes no space.
        for (let at = 0; at < ballastBytes + slackBytes; ) at += writeSync(fd, chunk)
        ftruncateSync(fd, ballastBytes)
      } finally {
        closeSync(fd)
      }
    } catch (error) {
      // Remove the partial file: the space is needed elsewhere.
      this.drop()
      throw error
    }
  }

  /** Gives the space back. */
  drop(): void {
    try {
      rmSync(this.#path, { force: true })
    } catch {
      // The write that needs the space says what is wrong.
    }
  }
}
