import { renameSync, unlinkSync } from 'node:fs'
import type { Clock } from '../clock.ts'

const passing: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES'])
const waitsMs = [5, 10, 20, 40, 80, 160, 320, 640]

/**
 * Rename and unlink that bear with a virus scanner or an indexer which holds a file for a moment: tried again for a
 * good second, then told.
 *
 * The calls themselves are synchronous: 20 µs each, where handing them to the thread pool and back costs 60 (measured).
 */
export interface PatientFs {
  /** @param held Told when the first try failed. */
  rename(from: string, to: string, held?: () => void): Promise<void>
  unlink(path: string): Promise<void>
}

/** The file system itself, with patience. */
export function patientFs(clock: Clock): PatientFs {
  const patiently = async (act: () => void, held?: () => void): Promise<void> => {
    for (const waitMs of waitsMs) {
      try {
        return act()
      } catch (error) {
        if (!passing.has((error as NodeJS.ErrnoException).code)) throw error
        held?.()
        await clock.sleep(waitMs)
      }
    }
    act()
  }
  return {
    rename: (from, to, held) => patiently(() => renameSync(from, to), held),
    unlink: (path) => patiently(() => unlinkSync(path)),
  }
}
