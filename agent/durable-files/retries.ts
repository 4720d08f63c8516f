import { promisify } from 'node:util'
import type { Clock } from '../clock/clock.ts'
import { SyncFailedError } from './disk-errors.ts'
import type { Files } from './files.ts'

const passingCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES'])
const passingDelaysMs = [5, 10, 20, 40, 80, 160, 320, 640]

/**
 * Rename and unlink that are tried again for about a second, because a virus scanner or an indexer may have the file
 * open.
 *
 * A rename is made in the event loop: 20 µs, where the thread pool adds 60. An unlink goes to the thread pool, because it
 * may wait until the disk has freed the blocks: 200 µs (measured).
 */
export interface PatientFs {
  rename(from: string, to: string, onFirstFailure?: () => void): Promise<void>
  unlink(path: string): Promise<void>
}

export function patientFs(files: Pick<Files, 'renameSync' | 'unlink'>, clock: Clock): PatientFs {
  const unlinkInPool = promisify(files.unlink)
  const tryPatiently = async (act: () => void | Promise<void>, onFirstFailure?: () => void): Promise<void> => {
    for (const delayMs of passingDelaysMs) {
      try {
        return await act()
      } catch (error) {
        if (!passingCodes.has((error as NodeJS.ErrnoException).code)) throw error
        onFirstFailure?.()
        await clock.sleep(delayMs)
      }
    }
    await act()
  }
  return {
    rename: (from, to, onFirstFailure) => tryPatiently(() => files.renameSync(from, to), onFirstFailure),
    unlink: (path) => tryPatiently(() => unlinkInPool(path)),
  }
}

/** How `keepTrying` continues, and what it reports. */
export interface Retrying {
  readonly clock: Clock
  readonly stopping: AbortSignal
  /** Called for each failure, except that of a sync. */
  readonly onError: (error: Error) => void
  /** Called once, when the short delays are over and it still fails. */
  readonly onRepeatedFailure?: () => void
  /** Called when a sync failed. Nothing is tried again after that. */
  readonly onFatal: (error: SyncFailedError) => void
}

const delaysMs = [20, 40, 80, 160, 320]
const longDelayMs = 1_000

/**
 * Tries until it succeeds.
 *
 * @returns undefined when the agent stops before that, or a sync failed.
 */
export async function keepTrying<Result>(
  act: () => Promise<Result>,
  { clock, stopping, onError, onRepeatedFailure, onFatal }: Retrying,
): Promise<Result | undefined> {
  for (let failures = 0; ; failures++) {
    try {
      return await act()
    } catch (error) {
      if (error instanceof SyncFailedError) {
        onFatal(error)
        return undefined
      }
      onError(error as Error)
      if (stopping.aborted) return undefined
      if (failures === delaysMs.length) onRepeatedFailure?.()
      await clock.sleep(delaysMs[failures] ?? longDelayMs)
    }
  }
}
