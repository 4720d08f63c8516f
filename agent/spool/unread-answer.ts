import { lstatSync } from 'node:fs'
import { link, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessGone } from '../durable-files/disk-errors.ts'
import type { PatientFs } from './patient-fs.ts'
import type { SpoolDirs } from './spool-dirs.ts'

/** The answer of yesterday's request of the same name is not today's: it is kept under another name. */
export async function setAsideUnread(name: string, { inbox }: SpoolDirs, fs: PatientFs): Promise<void> {
  const answer = join(inbox, name)
  if (!lstatSync(answer, { throwIfNoEntry: false })) return
  for (let n = 1; ; n++) {
    const aside = `${answer}.unread${n === 1 ? '' : `.${n}`}`
    try {
      // A link refuses a name that is taken, where a rename would write over another unread answer.
      await link(answer, aside)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') return
      if (code === 'EEXIST') continue
      // A file system without links: the newest unread answer is kept.
      await rename(answer, aside)
      return
    }
    // Its reader may have been quicker.
    await unlessGone(fs.unlink(answer))
    return
  }
}
