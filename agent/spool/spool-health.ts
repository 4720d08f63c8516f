import { probeSpool, type SpoolDirs } from './spool-dirs.ts'

/**
 * Whether the spool can be worked with. One file that can be neither claimed nor answered says nothing of the others: so
 * after trouble it is tried out, until that succeeds.
 */
export class SpoolHealth {
  readonly #dirs: SpoolDirs
  #isInDoubt = false

  constructor(dirs: SpoolDirs) {
    this.#dirs = dirs
  }

  /** Something could not be read, claimed or answered. */
  troubled(): void {
    this.#isInDoubt = true
  }

  /** Why nothing is claimed or answered now, with the cure; empty when it works. */
  reasons(): readonly string[] {
    if (!this.#isInDoubt) return []
    try {
      probeSpool(this.#dirs, 'left-out')
      this.#isInDoubt = false
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  }
}
