/** One sync for everyone who asks while another one runs. A sync that has begun does not cover later writes. */
export class SharedSync {
  readonly #sync: () => Promise<void>
  #running: Promise<void> = Promise.resolve()
  /** For everyone who has asked since the last sync began. */
  #next: Planned | undefined

  /** @param sync Makes everything that was written before survive a power cut. */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /**
   * Resolves when everything that was written before this call survives a power cut. After a sync that failed it rejects
   * for good: what is on the disk is not known.
   *
   * @param wait Calls back when the sync may begin: a caller that continues meanwhile lets it wait for others.
   */
  ask(wait: (hasten: () => void) => void = (hasten) => hasten()): Promise<void> {
    this.#next ??= this.#plan()
    wait(this.#next.hasten)
    return this.#next.ended
  }

  /** Resolves when no sync runs or is wanted. */
  async settled(): Promise<void> {
    await this.#next?.ended.catch(() => undefined)
    await this.#running.catch(() => undefined)
  }

  #plan(): Planned {
    const { promise: isDue, resolve: hasten } = Promise.withResolvers<void>()
    const ended = Promise.all([this.#running, isDue]).then(() => {
      this.#next = undefined
      this.#running = this.#sync()
      return this.#running
    })
    return { ended, hasten }
  }
}

/** A sync that has not begun. */
interface Planned {
  readonly ended: Promise<void>
  readonly hasten: () => void
}
