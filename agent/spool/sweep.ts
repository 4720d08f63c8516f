import { lstatSync, opendirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import { isRejected, isUnread } from './names.ts'
import type { PatientFs } from './patient-fs.ts'
import type { SpoolDirs } from './spool-dirs.ts'

const keptMs = 24 * 3_600_000

/** Removes rejected requests and unread answers that were set aside more than 24 h ago. */
export async function sweep(dirs: SpoolDirs, clock: Clock, fs: PatientFs): Promise<void> {
  await sweepDir(dirs.outbox, isRejected, clock, fs)
  await sweepDir(dirs.inbox, isUnread, clock, fs)
}

async function sweepDir(path: string, isWanted: (name: string) => boolean, clock: Clock, fs: PatientFs): Promise<void> {
  const dir = opendirSync(path, { bufferSize: 1_024 })
  try {
    for (let entry = dir.readSync(); entry; entry = dir.readSync()) {
      if (!isWanted(entry.name)) continue
      const file = join(path, entry.name)
      // The time of the rename that set it aside; the time of its text may be much older.
      const stat = lstatSync(file, { throwIfNoEntry: false })
      if (stat?.isFile() && clock.wallMs() - stat.ctimeMs > keptMs) await fs.unlink(file)
    }
  } finally {
    dir.closeSync()
  }
}
