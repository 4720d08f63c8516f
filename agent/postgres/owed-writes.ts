import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import {
  isStoreFailure,
  type StoreFullError,
  StoreNotAskedError,
  StoreUnreachableError,
} from '../database/store-errors.ts'

const retryMs = 1_000

/** A write that can be repeated. */
type Write = () => Promise<unknown>

/**
 * Writes that say what became of a call. They cannot be refused, because the call is over. One that fails because the store
 * is away or full is owed: it is repeated until it is done. The writes under one name are done in order, each
 * once at a time.
 */
export class OwedWrites {
  readonly #owed = new Map<string, Write[]>()
  readonly #stop: () => void
  #paid: Promise<void> = Promise.resolve()
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
   * Runs a write that says what became of something, after everything that is owed under its name.
   *
   * @param later What is owed if the store is away or full.
   * @throws As the write, which is done later all the same.
   */
  async write(name: string, write: Write, later = write): Promise<void> {
    try {
      this.assertPaid(name)
      await write()
    } catch (error) {
      if (isStoreFailure(error)) this.owe(name, later)
      throw error
    }
  }

  /**
   * Runs a write that asks for something.
   *
   * @param giveBack Called if it failed and may have been done. It says what is owed.
   */
  async ask<Result>(write: () => Promise<Result>, giveBack: () => void): Promise<Result> {
    try {
      return await write()
    } catch (error) {
      if (error instanceof StoreUnreachableError && !(error instanceof StoreNotAskedError)) giveBack()
      throw error
    }
  }

  /** Repeats a write until it is done, after everything that is owed under its name. */
  owe(name: string, write: Write): void {
    const before = this.#owed.get(name)
    if (before) before.push(write)
    else this.#owed.set(name, [write])
  }

  /** Under which something is owed. */
  get names(): readonly string[] {
    return [...this.#owed.keys()]
  }

  /** Whether something is owed under a name. */
  has(name: string): boolean {
    return this.#owed.has(name)
  }

  /** @throws {StoreNotAskedError} A write that is owed under this name must be done first. */
  assertPaid(name: string): void {
    if (this.has(name)) throw new StoreNotAskedError('an earlier write is not done yet')
  }

  /** Tries to do what is owed. */
  pay(): Promise<void> {
    this.#paid = this.#paid.then(() => this.#payAll())
    return this.#paid
  }

  stop(): void {
    this.#stop()
  }

  async #payAll(): Promise<void> {
    for (const [name, writes] of this.#owed) {
      let problem: unknown
      for (let write = writes[0]; write && !problem; write = writes[0]) {
        problem = await this.#failureOf(write)
        if (!problem) writes.shift()
      }
      if (!problem) this.#owed.delete(name)
      if (problem instanceof StoreUnreachableError) return
    }
  }

  /** Why a write must be repeated; undefined for one that is done, or that can never be. */
  async #failureOf(write: Write): Promise<StoreFullError | StoreUnreachableError | undefined> {
    try {
      await write()
    } catch (error) {
      if (isStoreFailure(error)) return error
      this.onError(error)
    }
    return undefined
  }
}
