import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import type { Log } from './log.ts'

/** Logs when the state directory stops taking calls and when it takes them again, and keeps the reason for the heartbeat. */
export class StateLog {
  /** Empty while calls with an id are taken. */
  reasons: readonly string[] = []
  readonly #stateDir: string
  readonly #log: Log

  constructor(stateDir: string, log: Log) {
    this.#stateDir = stateDir
    this.#log = log
  }

  /** @param cause Undefined when calls with an id are taken again. */
  onFull(cause: Error | undefined): void {
    const reason =
      cause && `calls with an id are refused, because ${this.#stateDir} cannot be written: ${cureOf(cause)}`
    this.reasons = reason === undefined ? [] : [reason]
    if (cause) this.#log.warn({ cause: causeOf(cause) }, reason)
    else this.#log.info('calls with an id are taken again')
  }
}
