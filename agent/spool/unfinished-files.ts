import { link } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { PatientFs } from './patient-fs.ts'
import type { RequestReading } from './request-file.ts'
import type { SpoolDirs } from './spool-dirs.ts'

/** A claimed file. */
export interface ClaimedFile {
  readonly name: string
  /** The claim's file name. */
  readonly claim: string
}

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

/** A file that its writer never finished goes back to its name, unless that is taken by now. */
export async function giveBack({ name, claim }: ClaimedFile, { outbox }: SpoolDirs, fs: PatientFs): Promise<void> {
  await link(join(outbox, claim), join(outbox, name))
  await fs.unlink(join(outbox, claim))
}
