import type { Clock } from '../clock/clock.ts'
import { causeOf } from '../durable-files/cause.ts'
import { cureOf } from '../durable-files/cure.ts'
import type { Log } from '../log/log.ts'
import type { WhyIgnored } from './outbox-scan.ts'

const minuteMs = 60_000
/** Lines of one kind in a minute. Any more are counted. */
const linesMax = 20
/** Files that are named for one cause. Any more are counted. */
const filesNamedMax = 5

const curesOfNames: Readonly<Record<WhyIgnored, string>> = {
  'device-name': 'write the request under another name',
  'not-a-regular-file': 'write a request as a regular file, and remove what is none',
  'not-a-request-name':
    'call a request <id>.json, in lower case, where <id> has only letters, digits, ".", "_" and "-" and begins with a letter or digit',
}

/** One cause of failures, from the first until it has been quiet for a minute. */
interface Trouble {
  readonly cause: string
  readonly cure: string
  readonly files: Set<string>
  failures: number
  lastMs: number
}

/** What the spool reports to a person. Whatever happens to 100,000 files, the number of lines is bounded. */
export class SpoolLog {
  readonly #log: Log
  readonly #clock: Clock
  readonly #troubles = new Map<string, Trouble>()
  readonly #minutes = new Map<string, { sinceMs: number; count: number }>()

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** A name looks like a request, or like one of the agent's own files, and is none. */
  onIgnored(name: string, why: WhyIgnored): void {
    this.#line('ignored in the spool', { name, why, cure: curesOfNames[why] })
  }

  /** A file was refused, and is kept as `.rejected`. */
  onRejected(name: string, reason: string): void {
    this.#line('request file refused', { name, status: 400, reason })
  }

  /** Something failed and is tried again. The first files of each cause are named, the others counted. */
  onError(where: string, error: Error): void {
    const nowMs = this.#clock.monotonicMs()
    const cause = causeOf(error)
    const key = (error as NodeJS.ErrnoException).code ?? cause
    const trouble = this.#troubles.get(key) ?? {
      ...{ cause, cure: cureOf(error), files: new Set(), failures: 0, lastMs: nowMs },
    }
    this.#troubles.set(key, trouble)
    trouble.failures++
    trouble.lastMs = nowMs
    if (trouble.files.has(where) || trouble.files.size === filesNamedMax) return
    trouble.files.add(where)
    this.#log.warn({ where, cause, cure: trouble.cure }, 'the spool cannot be worked with; tried again')
  }

  /** Reports what is over, and counts. To be called every few seconds. */
  summarize(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [key, trouble] of this.#troubles) {
      if (nowMs - trouble.lastMs < minuteMs) continue
      this.#troubles.delete(key)
      this.#log.info({ cause: trouble.cause, failures: trouble.failures }, 'the spool can be worked with again')
    }
    for (const [message, minute] of this.#minutes) {
      if (nowMs - minute.sinceMs < minuteMs) continue
      this.#minutes.delete(message)
      if (minute.count > linesMax) this.#log.warn({ count: minute.count - linesMax }, `more of: ${message}`)
    }
  }

  #line(message: string, fields: object): void {
    const minute = this.#minutes.get(message) ?? { sinceMs: this.#clock.monotonicMs(), count: 0 }
    this.#minutes.set(message, minute)
    if (++minute.count <= linesMax) this.#log.warn(fields, message)
  }
}
