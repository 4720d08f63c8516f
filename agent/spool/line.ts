/** A place in the line. */
export interface LinePlace {
  /** Resolves when everybody before has passed. */
  readonly before: Promise<void>
  /** Lets the next one go. Passing twice is passing once. */
  readonly pass: () => void
}

/**
 * Keeps the order of claims for requests that are read side by side: an older observation must not be overtaken because
 * its file took longer to read. Whoever is held up passes, and holds up nobody.
 */
export class Line {
  #last: Promise<unknown> = Promise.resolve()

  join(): LinePlace {
    const before = this.#last.then(() => undefined)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = Promise.all([before, promise])
    return { before, pass: resolve }
  }
}
