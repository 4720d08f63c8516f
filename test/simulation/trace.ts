/**
 * What happened in a run, as one hash over everything. Two runs with the same hash were the same. The lines themselves
 * are kept only if asked for: a run that is worth reading is run again.
 */
export class Trace {
  readonly #lines: string[] | undefined
  #low = 0x811c9dc5 | 0
  #high = 0x243f6a88 | 0
  #count = 0

  constructor(options: { readonly keepsLines: boolean } = { keepsLines: false }) {
    this.#lines = options.keepsLines ? [] : undefined
  }

  /** Adds what somebody did at a moment of virtual time. */
  add(atMs: number, actor: string, what: string): void {
    this.#count++
    // Microseconds, in two halves: a hash of the digits would cost more than the rest.
    const atUs = Math.round(atMs * 1_000)
    this.#fold(atUs | 0)
    this.#fold((atUs / 2 ** 32) | 0)
    this.#foldText(actor)
    this.#foldText(what)
    this.#lines?.push(`${(atMs / 1_000).toFixed(6).padStart(14)} s  ${actor.padEnd(18)}  ${what}`)
  }

  get count(): number {
    return this.#count
  }

  /** 16 digits. */
  get hash(): string {
    return [this.#high, this.#low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
  }

  get lines(): readonly string[] {
    return this.#lines ?? []
  }

  #foldText(text: string): void {
    for (let at = 0; at < text.length; at++) this.#fold(text.charCodeAt(at))
    this.#fold(-1)
  }

  #fold(value: number): void {
    this.#low = Math.imul(this.#low ^ value, 0x01000193)
    this.#high = Math.imul(this.#high ^ value, 0x85ebca6b) ^ (this.#low >>> 15)
  }
}
