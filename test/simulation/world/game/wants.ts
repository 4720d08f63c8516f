/** Somebody wants to buy, and asks for it inside the game. */
export interface Want {
  /** The key of the call for it. */
  readonly id: string
  readonly itemRef: string
  readonly quantity: number
  readonly buyerCharacterRef: string
  /** Virtual time. After five minutes nobody waits any more, so the id is not sent again after its window. */
  readonly sinceMs: number
}

const patienceMs = 5 * 60_000

/** The people before the counter of one game server. They remember, whatever the server forgets. */
export class Wants {
  readonly #open = new Map<string, Want>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  add(want: Want): void {
    this.#open.set(want.id, want)
  }

  /** Those that are still waited for, oldest first. */
  get open(): readonly Want[] {
    const sinceMs = this.#nowMs() - patienceMs
    for (const want of this.#open.values()) if (want.sinceMs < sinceMs) this.#open.delete(want.id)
    return [...this.#open.values()]
  }

  /** The buyer has an answer. */
  close(id: string): void {
    this.#open.delete(id)
  }
}
