import { cureOfStore, isOfSharedStore } from '../database/cure-of-store.ts'
import { causeOf } from '../durable-files/system-errors.ts'
import type { Log } from './log.ts'

/** Logs when a store stops accepting entries and when it accepts them again. It keeps the reason for the heartbeat. */
export class StateLog {
  /** Empty while they are taken. */
  reasons: readonly string[] = []
  readonly #what: 'calls with an id' | 'orders'
  readonly #stateDir: string
  readonly #log: Log

  constructor(what: 'calls with an id' | 'orders', stateDir: string, log: Log) {
    this.#what = what
    this.#stateDir = stateDir
    this.#log = log
  }

  /** @param cause Undefined when they are taken again. */
  onFull(cause: Error | undefined): void {
    const where = isOfSharedStore(cause) ? 'the store' : this.#stateDir
    const reason = cause && `${this.#what} are refused, because ${where} cannot be written: ${cureOfStore(cause)}`
    this.reasons = reason === undefined ? [] : [reason]
    if (cause) this.#log.warn({ cause: causeOf(cause) }, reason)
    else this.#log.info(`${this.#what} are taken again`)
  }
}
