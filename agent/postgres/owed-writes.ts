import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { isStoreFailure, StoreUnreachableError } from '../database/store-errors.ts'

const retryMs = 1_000

/**
 * Writes that say what became of a call. They cannot be refused, because the call is over. One that fails because the store
 * is away or full is owed: it is repeated until it is done. Each is made so that it can be repeated.
 */
export class OwedWrites {
  readonly #owed = new Map<string, () => Promise<unknown>>()
  readonly #stop: () => void
  /** Takes the error of a write that nobody waits for. One that may pass is owed. */
  readonly onError: (error: unknown) => void

  /** @param onFatal Called with an error that does not pass. */
  constructor(clock: Clock, onFatal: (error: Error) => void) {
    this.onError = (error) => {
      if (!isStoreFailure(error)) onFatal(error as Error)
    }
    this.#stop = repeat(clock, retryMs, () => this.pay())
  }

  /**
   * Runs a write that says what became of something.
   *
   * @param owe Called if the store is away or full. It says what is owed.
   */
  async write<Result>(write: () => Promise<Result>, owe: () => void): Promise<Result> {
    try {
      return await write()
    } catch (error) {
      if (isStoreFailure(error)) owe()
      throw error
    }
  }

  /** Repeats a write until it is done. A later one with the same name takes its place. */
  owe(name: string, write: () => Promise<unknown>): void {
    this.#owed.set(name, write)
  }

  /** @throws {StoreUnreachableError} A write that is owed under this name must be done first. */
  assertPaid(name: string): void {
    if (this.#owed.has(name)) throw new StoreUnreachableError('an earlier write is not done yet')
  }

  /** Tries to do what is owed. */
  async pay(): Promise<void> {
    for (const [name, write] of this.#owed) {
      try {
        await write()
        if (this.#owed.get(name) === write) this.#owed.delete(name)
      } catch (error) {
        if (isStoreFailure(error)) return
        this.#owed.delete(name)
        this.onError(error)
      }
    }
  }

  stop(): void {
    this.#stop()
  }
}
