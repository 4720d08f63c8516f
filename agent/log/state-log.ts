import { StoreFullError } from '../database/store-errors.ts'
import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
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
    const isShared = cause instanceof StoreFullError && cause.store === 'SERVICE_STORE_URL'
    const why = isShared
      ? `the store cannot be written: ${cures.lookAtStore()}`
      : cause && `${this.#stateDir} cannot be written: ${cureOf(cause)}`
    const reason = why && `${this.#what} are refused, because ${why}`
    this.reasons = reason === undefined ? [] : [reason]
    if (cause) this.#log.warn({ cause: causeOf(cause) }, reason)
    else this.#log.info(`${this.#what} are taken again`)
  }
}
