import type { Clock } from '../clock/clock.ts'
import type { Log } from './log.ts'

const linesPerMinuteMax = 30

/** Warnings that others can cause as often as they like: 30 lines a minute, then one line with the number of the rest. */
export class LimitedLog {
  readonly #log: Pick<Log, 'warn'>
  readonly #clock: Clock
  #linesThisMinute = 0

  constructor(log: Pick<Log, 'warn'>, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  warn(fields: object, message: string): void {
    if (this.#linesThisMinute === 0) this.#clock.after(60_000, () => this.#endMinute(message))
    this.#linesThisMinute++
    if (this.#linesThisMinute <= linesPerMinuteMax) this.#log.warn(fields, message)
  }

  #endMinute(message: string): void {
    const notLogged = this.#linesThisMinute - linesPerMinuteMax
    this.#linesThisMinute = 0
    if (notLogged > 0) this.#log.warn({ notLogged }, `${message}: more in the last minute`)
  }
}
