import { rename, unlink } from 'node:fs/promises'
import type { Clock } from '../clock.ts'

const passing: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES'])
const waitsMs = [5, 10, 20, 40, 80, 160, 320, 640]

/**
 * Rename and unlink that bear with a virus scanner or an indexer which holds a file for a moment: tried again for a
 * good second, then told.
 */
export interface PatientFs {
  /** @param held Told when the first try failed. */
  rename(from: string, to: string, held?: () => void): Promise<void>
  unlink(path: string): Promise<void>
}

export function patientFs(clock: Clock): PatientFs {
  const patiently = async (act: () => Promise<void>, held?: () => void): Promise<void> => {
    for (const waitMs of waitsMs) {
      try {
        return await act()
      } catch (error) {
        if (!passing.has((error as NodeJS.ErrnoException).code)) throw error
        held?.()
        await clock.sleep(waitMs)
      }
    }
    return act()
  }
  return {
    rename: (from, to, held) => patiently(() => rename(from, to), held),
    unlink: (path) => patiently(() => unlink(path)),
  }
}
