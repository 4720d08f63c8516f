import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const ballastBytes = 4 * 1024 * 1024

/**
 * Disk space that is held back while there is some: when the disk is full, dropping it makes room for the answers of
 * the calls that had already left. New ones are refused until it is there again.
 */
export class Ballast {
  readonly #path: string
  #isWhole = false

  constructor(stateDir: string) {
    this.#path = join(stateDir, 'ballast')
  }

  /**
   * Makes sure that there is room to let a call leave. Makes the ballast again where it is missing.
   *
   * @throws {NodeJS.ErrnoException} It cannot be made: for want of room, of rights, of descriptors.
   */
  assertWhole(): void {
    if (!this.#isWhole) this.#fill()
    this.#isWhole = true
  }

  /** Gives the space back. */
  drop(): void {
    this.#isWhole = false
    rmSync(this.#path, { force: true })
  }

  #fill(): void {
    if (statSync(this.#path, { throwIfNoEntry: false })?.size === ballastBytes) return
    try {
      const fd = openSync(this.#path, 'w', 0o600)
      try {
        // Written, not reserved by its length: a file with holes holds nothing back.
        for (let at = 0; at < ballastBytes; ) at += writeSync(fd, Buffer.alloc(65_536))
        fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
    } catch (error) {
      // What there is of it is room that something else needs.
      rmSync(this.#path, { force: true })
      throw error
    }
  }
}
