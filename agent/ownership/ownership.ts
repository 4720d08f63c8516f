import type { DirSetting } from '../durable-files/dir-unusable.ts'

/** Another live process has locked what the agent needs for itself. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
  readonly path: string
  readonly owner: string
  /** A standby tries again this often. */
  readonly retryMs: number

  constructor(path: string, owner: string, retryMs = 200) {
    super(`${path} is locked by ${owner}`)
    this.path = path
    this.owner = owner
    this.retryMs = retryMs
  }
}

/** A directory to own. */
export interface OwnedDir {
  readonly setting: DirSetting
  readonly path: string
  /** Its mode, if it has to be made. */
  readonly mode: number
}

/** The right to be the only live agent that works in a directory. */
export interface Ownership {
  /**
   * Makes sure that the directory is still the same one. In another directory of that name another agent may work.
   *
   * @throws {RemovedError}
   */
  assertSameDir(): void
  /** Lets others own the directory. */
  release(): void
}

/**
 * Makes this process the owner of a directory and makes the directory if it is missing.
 *
 * @param owner Tells other agents who owns the directory.
 * @throws {LockedError} Another live process owns it.
 * @throws {DirUnusableError} It cannot be made, read or written.
 */
export type TakeOwnership = (dir: OwnedDir, owner: string) => Ownership
