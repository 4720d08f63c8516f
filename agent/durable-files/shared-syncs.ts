import type { Clock } from '../clock/clock.ts'
import { syncDir } from './sync-dir.ts'

/** How long a sync may wait for others when its caller goes on meanwhile. */
const patientMs = 10

/** One sync of a directory for all that ask for it at the same time. */
export class SharedSyncs {
  readonly #clock: Clock
  readonly #dirs = new Map<string, DirSync>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when everything that was renamed in the directory before this call survives a power cut. */
  sync(dir: string): Promise<void> {
    return this.#of(dir).ask(0)
  }

  /** As `sync`, for callers that go on meanwhile: it waits a little to share a sync. */
  syncPatiently(dir: string): Promise<void> {
    return this.#of(dir).ask(patientMs)
  }

  #of(dir: string): DirSync {
    const known = this.#dirs.get(dir)
    if (known) return known
    const made = new DirSync(dir, this.#clock)
    this.#dirs.set(dir, made)
    return made
  }
}

class DirSync {
  readonly #dir: string
  readonly #clock: Clock
  /** For those that asked since the last sync began. The sync under way may have missed their renames. */
  #asked: PromiseWithResolvers<void> | undefined
  #isUnderWay = false
  #isDue = false
  #cancelWait: () => void = () => undefined

  constructor(dir: string, clock: Clock) {
    this.#dir = dir
    this.#clock = clock
  }

  ask(withinMs: number): Promise<void> {
    const isFirst = this.#asked === undefined
    this.#asked ??= Promise.withResolvers()
    const { promise } = this.#asked
    if (withinMs === 0) this.#begin()
    else if (isFirst) this.#cancelWait = this.#clock.after(withinMs, () => this.#begin())
    return promise
  }

  #begin(): void {
    this.#isDue = this.#isUnderWay
    if (this.#isUnderWay || !this.#asked) return
    this.#cancelWait()
    const { resolve, reject } = this.#asked
    this.#asked = undefined
    this.#isUnderWay = true
    void syncDir(this.#dir)
      .then(resolve, reject)
      .then(() => {
        this.#isUnderWay = false
        if (this.#isDue) this.#begin()
      })
  }
}
