import { promisify } from 'node:util'
import type { Clock } from '../clock/clock.ts'
import { SyncFailedError } from './disk-errors.ts'
import type { Files } from './files.ts'

const passingCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES', 'EIO'])
const passingDelaysMs = [5, 10, 20, 40, 80, 160, 320, 640]
/** A scanner is ready after some 50 ms. Nothing else needs to wait for a file that fails longer. */
const failuresBeforeReport = 5

/**
 * File operations that are tried again for about a second, because a virus scanner or an indexer may have the file open,
 * or a disk fails once.
 *
 * A rename is made in the event loop: 20 µs, where the thread pool adds 60. An unlink goes to the thread pool, because it
 * may wait until the disk has freed the blocks: 200 µs (measured).
 */
export interface PatientFs {
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  /** @param onRepeatedFailure Called once, when it has failed for 75 ms and is still tried. */
  attempt(act: () => void | Promise<void>, onRepeatedFailure: () => void): Promise<void>
}

export function patientFs(files: Pick<Files, 'renameSync' | 'unlink'>, clock: Clock): PatientFs {
  const unlinkInPool = promisify(files.unlink)
  const attempt: PatientFs['attempt'] = async (act, onRepeatedFailure) => {
    for (const [failures, delayMs] of passingDelaysMs.entries()) {
      try {
        return await act()
      } catch (error) {
        if (!passingCodes.has((error as NodeJS.ErrnoException).code)) throw error
        if (failures + 1 === failuresBeforeReport) onRepeatedFailure()
        await clock.sleep(delayMs)
      }
    }
    await act()
  }
  const ignore = () => undefined
  return {
    rename: (from, to) => attempt(() => files.renameSync(from, to), ignore),
    unlink: (path) => attempt(() => unlinkInPool(path), ignore),
    attempt,
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
