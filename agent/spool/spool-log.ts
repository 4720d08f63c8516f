import type { Clock } from '../clock/clock.ts'
import { causeOf, cureOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import type { WhyIgnored } from './outbox-scan.ts'

/** A cause is over when nothing has failed because of it for this long. */
const quietMs = 60_000
/** Files that are named for one cause. Any more are only counted. */
const filesNamedMax = 5

const curesOfNames: Readonly<Record<WhyIgnored, () => string>> = {
  'device-name': cures.renameFile,
  'not-a-regular-file': cures.useRegularFile,
  'not-a-request-name': cures.nameRequest,
}

/** Failures with one cause. */
interface SpoolProblem {
  readonly cause: string
  readonly files: Set<string>
  failures: number
  lastMs: number
}

/** Writes the spool's reports for a person. The number of lines is bounded, whatever happens to 100,000 files. */
export function spoolLog(log: Log, clock: Clock) {
  const ignored = new LimitedLog(log, clock)
  const rejected = new LimitedLog(log, clock)
  const problems = new Map<string, SpoolProblem>()
  return {
    /** A name looks like a request, or like one of the agent's own files, but is neither. */
    onIgnored: (name: string, why: WhyIgnored): void =>
      ignored.warn({ name, why, cure: curesOfNames[why]() }, 'ignored in the spool'),

    /** A file was refused and is kept as `.rejected`. */
    onRejected: (name: string, reason: string): void =>
      rejected.warn({ name, status: 400, reason }, 'request file refused'),

    /** Something failed and is tried again. The first files of each cause are named, the others counted. */
    onError(where: string, error: Error): void {
      const nowMs = clock.monotonicMs()
      const cause = causeOf(error)
      const key = (error as NodeJS.ErrnoException).code ?? cause
      const problem = problems.get(key) ?? { cause, files: new Set(), failures: 0, lastMs: nowMs }
      problems.set(key, problem)
      problem.failures++
      problem.lastMs = nowMs
      if (problem.files.has(where) || problem.files.size === filesNamedMax) return
      problem.files.add(where)
      log.warn({ where, cause, cure: cureOf(error) }, 'the spool cannot be worked with; tried again')
    },

    /** Reports each cause that is over. To be called every few seconds. */
    reportEnds(): void {
      for (const [key, { cause, failures, lastMs }] of problems) {
        if (clock.monotonicMs() - lastMs < quietMs) continue
        problems.delete(key)
        log.info({ cause, failures }, 'the spool can be worked with again')
      }
    },
  }
}
