import type { Clock } from '../clock/clock.ts'
import { StoreFullError } from '../database/store-errors.ts'
import type { Database } from './database.ts'

const retryMs = 1_000
/** Writes a row and changes nothing. */
const tryToWrite = 'UPDATE market_agent.store SET single = single'

/** Knows whether the server has room. While it has none, it looks each second and each time that it is asked. */
export class StoreRoom {
  readonly #database: Database
  readonly #clock: Clock
  readonly #onChange: (cause: Error | undefined) => void
  #cause: StoreFullError | undefined
  #cancel: () => void = () => undefined

  /** @param onChange Called with the cause when there is no room any more, and without one when there is room again. */
  constructor(database: Database, clock: Clock, onChange: (cause: Error | undefined) => void) {
    this.#database = database
    this.#clock = clock
    this.#onChange = onChange
  }

  /** Runs a write. @throws {StoreFullError} There is no room for it. */
  async write<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StoreFullError) this.#report(error)
      throw error
    }
  }

  /** @throws {StoreFullError} There is no room. */
  async assert(): Promise<void> {
    if (this.#cause) await this.#look()
    if (this.#cause) throw this.#cause
  }

  close(): void {
    this.#cancel()
  }

  async #look(): Promise<void> {
    try {
      await this.#database.query(tryToWrite)
      this.#report(undefined)
    } catch (error) {
      // A store that is away says nothing about its room.
      this.#report(error instanceof StoreFullError ? error : this.#cause)
    }
  }

  #report(cause: StoreFullError | undefined): void {
    const isChange = (cause === undefined) !== (this.#cause === undefined)
    this.#cause = cause
    this.#cancel()
    this.#cancel = cause ? this.#clock.after(retryMs, () => void this.#look()) : () => undefined
    if (isChange) this.#onChange(cause)
  }
}
