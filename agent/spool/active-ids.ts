/** Ids that have a claim. A new file of such an id waits until the one before is answered. */
export class ActiveIds {
  readonly #waiting = new Map<string, (() => void)[]>()

  /**
   * Takes an id, or waits for it.
   *
   * @param enter Called when the id is free, if it is not now. It is the caller's from then on.
   * @returns Whether the id was free.
   */
  take(id: string, enter: () => void): boolean {
    const waiting = this.#waiting.get(id)
    if (waiting) waiting.push(enter)
    else this.#waiting.set(id, [])
    return waiting === undefined
  }

  /** Hands the id to whoever waits longest. */
  leave(id: string): void {
    const next = this.#waiting.get(id)?.shift()
    if (next) next()
    else this.#waiting.delete(id)
  }
}
