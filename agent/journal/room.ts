import type { Clock } from '../clock/clock.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { codeOf } from '../durable-files/system-errors.ts'
import type { Ballast } from './ballast.ts'

const retryMs = 1_000

/** What `Room` works with. */
export interface RoomOptions {
  readonly ballast: Ballast
  readonly clock: Clock
  /** Commits something small. */
  readonly tryToCommit: () => void
  /** Called with the cause when there is no room any more, and without one when there is room again. */
  readonly onChange: (cause: Error | undefined) => void
}

/**
 * Knows whether the journal has room for new calls. While it has none, it looks for room each second and at each call, so
 * that calls are taken again soon after there is space.
 */
export class Room {
  readonly #options: RoomOptions
  #cause: Error | undefined
  #cancelRetry: () => void = () => undefined

  constructor(options: RoomOptions) {
    this.#options = options
  }

  /** @throws {StoreFullError} There is no room for a new call. */
  assert(): void {
    if (this.#cause) this.look()
    if (this.#cause) throw new StoreFullError(codeOf(this.#cause), this.#cause)
  }

  /** Finds out whether there is room: for the ballast and for a commit beside it. */
  look(): void {
    try {
      this.#options.ballast.fill()
      this.#options.tryToCommit()
      this.#set(undefined)
    } catch (error) {
      this.#set(error as Error)
    }
  }

  /** A commit found no room. */
  report(cause: StoreFullError): void {
    this.#set(cause)
  }

  /** As `report`, for a commit that must succeed because its call was already sent: makes room by dropping the ballast. */
  giveUpBallast(cause: StoreFullError): void {
    this.#options.ballast.drop()
    this.#set(cause)
  }

  close(): void {
    this.#cancelRetry()
  }

  #set(cause: Error | undefined): void {
    const { clock, onChange } = this.#options
    const isChange = (cause === undefined) !== (this.#cause === undefined)
    this.#cause = cause
    this.#cancelRetry()
    this.#cancelRetry = cause ? clock.after(retryMs, () => this.look()) : () => undefined
    if (isChange) onChange(cause)
  }
}
