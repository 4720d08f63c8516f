/** Since when each of some things is so: virtual ms. */
export class Since {
  readonly #nowMs: () => number
  #sinceMs = new Map<string, number>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Takes note of everything that is so now. A thing that is missing once begins again.
   *
   * @returns The first thing that has been so for longer than `maxMs`; undefined if there is none.
   */
  look(things: Iterable<string>, maxMs: number): string | undefined {
    const nowMs = this.#nowMs()
    const before = this.#sinceMs
    this.#sinceMs = new Map()
    for (const thing of things) this.#sinceMs.set(thing, before.get(thing) ?? nowMs)
    return this.#sinceMs.entries().find(([, sinceMs]) => nowMs - sinceMs > maxMs)?.[0]
  }

  /** Forgets everything. */
  reset(): void {
    this.#sinceMs = new Map()
  }
}
