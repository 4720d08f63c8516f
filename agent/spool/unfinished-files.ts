import type { Clock } from '../clock/clock.ts'
import type { ClaimedFile } from './give-back.ts'
import type { RequestReading } from './request-file.ts'

const quietMs = 2_000
const quietEmptyMs = 10_000

/** Claimed files that may still be written, and since when each of them has been quiet. */
export class UnfinishedFiles<Job extends ClaimedFile> {
  readonly #clock: Clock
  readonly #files = new Map<string, { readonly job: Job; stamp: string; sinceMs: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get jobs(): Job[] {
    return [...this.#files.values()].map(({ job }) => job)
  }

  /** Takes note of how a file was found: `quiet` when it has not changed for so long that nobody writes it any more. */
  note(job: Job, { stamp, isEmpty }: RequestReading & { kind: 'unfinished' }): 'quiet' | 'being-written' {
    const nowMs = this.#clock.monotonicMs()
    const before = this.#files.get(job.name)
    const sinceMs = before?.stamp === stamp ? before.sinceMs : nowMs
    this.#files.set(job.name, { job, stamp, sinceMs })
    return nowMs - sinceMs >= (isEmpty ? quietEmptyMs : quietMs) ? 'quiet' : 'being-written'
  }

  remove({ name }: Job): void {
    this.#files.delete(name)
  }
}
