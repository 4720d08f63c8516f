import type { Clock } from '../clock/clock.ts'
import type { ContactState } from '../platform/contact.ts'
import { troubleOfClock } from '../platform/trouble-of-answer.ts'
import { LimitedLog } from './limited-log.ts'
import type { Log } from './log.ts'

/** One line when the way to the platform is in another state, with the cure where it is in trouble. */
export class PlatformLog {
  readonly #log: Log
  readonly #limited: LimitedLog
  #hadTrouble = false

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#limited = new LimitedLog(log, clock)
  }

  onContact(state: ContactState): void {
    if (state.at === 'trouble') this.#limited.warn(state.trouble, 'calls to the platform fail')
    else if (this.#hadTrouble) this.#log.info('calls to the platform go through again')
    this.#hadTrouble = state.at === 'trouble'
  }

  /** @param offsetMs Undefined when the clock of this host is right again. */
  onClock(offsetMs: number | undefined): void {
    if (offsetMs === undefined) this.#log.info("the clock of this host agrees with the platform's again")
    else this.#limited.warn(troubleOfClock(offsetMs), 'the clock of this host is wrong')
  }
}
