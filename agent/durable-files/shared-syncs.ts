import type { Clock } from '../clock/clock.ts'
import type { Files } from './files.ts'
import { SharedSync } from './shared-sync.ts'
import { syncDir } from './sync-dir.ts'

/** How long a sync may wait for others when its caller continues meanwhile. */
const patientMs = 10

/** One sync of a directory for all that ask for it at the same time. */
export class SharedSyncs {
  readonly #files: Files
  readonly #clock: Clock
  readonly #dirs = new Map<string, SharedSync>()

  constructor(files: Files, clock: Clock) {
    this.#files = files
    this.#clock = clock
  }

  /** Resolves when everything that was renamed in the directory before this call survives a power cut. */
  sync(dir: string): Promise<void> {
    return this.#of(dir).ask()
  }

  /** As `sync`, for callers that continue meanwhile: it waits a little to share a sync. */
  syncPatiently(dir: string): Promise<void> {
    return this.#of(dir).ask((hasten) => this.#clock.after(patientMs, hasten))
  }

  #of(dir: string): SharedSync {
    const known = this.#dirs.get(dir)
    if (known) return known
    const made = new SharedSync(() => syncDir(this.#files, dir))
    this.#dirs.set(dir, made)
    return made
  }
}
