import type { Clock } from '../clock/clock.ts'

const namesMax = 1_024
/** A writer's temporary name may look like a mistake. It is one when it is still there after this time. */
export const mistakeAfterMs = 1_000

/** A name that is ignored, and the last scan that saw it. */
type Ignored = { scan: number } & ({ readonly at: 'new'; readonly sinceMs: number } | { readonly at: 'reported' })

/**
 * The names in a directory that look like files for the agent and are none. Each is reported once while it is there. With
 * more than 1,024 of them at a time, the others are reported when some of these are gone.
 */
export class IgnoredNames<Why extends string> {
  readonly #clock: Clock
  readonly #onIgnored: (name: string, why: Why) => void
  readonly #names = new Map<string, Ignored>()
  #scan = 0

  constructor(clock: Clock, onIgnored: (name: string, why: Why) => void) {
    this.#clock = clock
    this.#onIgnored = onIgnored
  }

  /** @param afterMs A name is reported when it has been there for this long. */
  add(name: string, why: Why, afterMs = 0): void {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#names.get(name)
    if (!known && this.#names.size === namesMax) return
    const ignored = known ?? { at: 'new', sinceMs: nowMs, scan: this.#scan }
    ignored.scan = this.#scan
    const isDue = ignored.at === 'new' && nowMs - ignored.sinceMs >= afterMs
    this.#names.set(name, isDue ? { at: 'reported', scan: this.#scan } : ignored)
    if (isDue) this.#onIgnored(name, why)
  }

  /** To be called after each scan of the whole directory: a name that it did not see is gone. */
  endScan(): void {
    for (const [name, { scan }] of this.#names) if (scan !== this.#scan) this.#names.delete(name)
    this.#scan++
  }
}
