import { type FSWatcher, watch } from 'node:fs'
import { type SpoolJob, takeAnswer, writeRequest } from './spool-jobs.ts'
import type { SpoolProgram } from './spool-program.ts'

/** One job's life, counted from its rename into the outbox. */
export interface LoneJob {
  /** Until its claim was seen. */
  readonly pickupMs: number
  /** Until its answer was seen in the inbox. */
  readonly answerMs: number
}

/** Puts lone jobs into a spool and sees what becomes of them. */
export interface LoneJobs extends Disposable {
  /** @throws {Error} The answer is not ok, or did not come within 10 s. */
  readonly run: (job: SpoolJob) => Promise<LoneJob>
}

const patienceMs = 10_000

/** Sees claims and answers by the events of the file system: what they take to arrive is in the figures. */
export function watchLoneJobs({ outbox, inbox }: SpoolProgram): LoneJobs {
  const claims = watch(outbox)
  const answers = watch(inbox)
  return {
    async run({ name, text }) {
      const claimed = seen(claims, (changed) => changed.startsWith(`${name}.`))
      const answered = seen(answers, (changed) => changed === name)
      const startMs = writeRequest(outbox, { name, text })
      const [claimedMs, answeredMs] = await Promise.all([claimed, answered])
      takeAnswer(inbox, name)
      return { pickupMs: claimedMs - startMs, answerMs: answeredMs - startMs }
    },
    [Symbol.dispose]: () => {
      claims.close()
      answers.close()
    },
  }
}

/** When it was seen, by the monotonic clock. One listener for all events: several may come in one turn. */
function seen(watcher: FSWatcher, isIt: (name: string) => boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const impatience = setTimeout(() => settle(() => reject(new Error('No claim or no answer for 10 s'))), patienceMs)
    const settle = (how: () => void): void => {
      clearTimeout(impatience)
      watcher.off('change', look)
      how()
    }
    const look = (_: unknown, name: unknown): void => {
      const atMs = performance.now()
      if (isIt(String(name))) settle(() => resolve(atMs))
    }
    watcher.on('change', look)
  })
}
