import type { Clock } from '../clock/clock.ts'
import type { ContactState } from '../platform/contact.ts'
import { problemOfClock } from '../platform/problem-of-answer.ts'
import { LimitedLog } from './limited-log.ts'
import type { Log } from './log.ts'

/** One line when the way to the platform is in another state, with the cure where there is a problem. */
export class PlatformLog {
  readonly #log: Log
  readonly #limited: LimitedLog
  #hadProblem = false

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#limited = new LimitedLog(log, clock)
  }

  onContact(state: ContactState): void {
    if (state.at === 'problem') this.#limited.warn(state.problem, 'calls to the platform fail')
    else if (this.#hadProblem) this.#log.info('calls to the platform go through again')
    this.#hadProblem = state.at === 'problem'
  }

  /** @param offsetMs Undefined when the clock of this host is right again. */
  onClock(offsetMs: number | undefined): void {
    if (offsetMs === undefined) this.#log.info("the clock of this host agrees with the platform's again")
    else this.#limited.warn(problemOfClock(offsetMs), 'the clock of this host is wrong')
  }
}
