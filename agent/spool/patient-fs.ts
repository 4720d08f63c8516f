import { renameSync, unlink } from 'node:fs'
import { promisify } from 'node:util'
import type { Clock } from '../clock/clock.ts'

const passing: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES'])
const waitsMs = [5, 10, 20, 40, 80, 160, 320, 640]

/**
 * Rename and unlink that bear with a virus scanner or an indexer which holds a file for a moment: tried again for a
 * good second, then told.
 *
 * A rename is made in place: 20 µs, where handing it to the thread pool and back costs 60. An unlink is handed over, for
 * it may wait until a disk has given its blocks back: 200 µs where that is told at once (measured).
 */
export interface PatientFs {
  /** @param held Told when the first try failed. */
  rename(from: string, to: string, held?: () => void): Promise<void>
  unlink(path: string): Promise<void>
}

const unlinked = promisify(unlink)

/** The file system itself, with patience. */
export function patientFs(clock: Clock): PatientFs {
  const patiently = async (act: () => void | Promise<void>, held?: () => void): Promise<void> => {
    for (const waitMs of waitsMs) {
      try {
        return await act()
      } catch (error) {
        if (!passing.has((error as NodeJS.ErrnoException).code)) throw error
        held?.()
        await clock.sleep(waitMs)
      }
    }
    await act()
  }
  return {
    rename: (from, to, held) => patiently(() => renameSync(from, to), held),
    unlink: (path) => patiently(() => unlinked(path)),
  }
}
