import { promisify } from 'node:util'
import type { Clock } from '../clock/clock.ts'
import { SyncFailedError } from './disk-errors.ts'
import type { Files } from './files.ts'
import { isGone } from './system-errors.ts'

const lockedCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY', 'EACCES'])
const lockedOrFailedCodes = lockedCodes.union(new Set(['EIO']))
const passingDelaysMs = [5, 10, 20, 40, 80, 160, 320, 640]
/** The caller gets the error after this many failures, in 75 ms, and can do other work first. */
const failuresBeforeNotice = 5

/**
 * File operations that are tried again for about a second if a virus scanner or an indexer has the file open (EPERM,
 * EBUSY, EACCES). Every other error is thrown at once.
 *
 * A rename is made in the event loop: 20 µs, where the thread pool adds 60. An unlink goes to the thread pool, because it
 * may wait until the disk has freed the blocks: 200 µs (measured).
 */
export interface PatientFs {
  /** Succeeds also where a rename was made and reports a failure, as on a network file system. */
  rename(from: string, to: string): Promise<void>
  /** Succeeds also where the unlink was made and reports a failure. */
  unlink(path: string): Promise<void>
  /**
   * Tries an act in this way, also after EIO: a disk may fail once.
   *
   * @param onRepeatedFailure Called once, when it has failed for 75 ms and is still tried.
   */
  tryPatiently(act: () => void, onRepeatedFailure: () => void): Promise<void>
}

export function patientFs(files: Pick<Files, 'renameSync' | 'unlink' | 'lstatSync'>, clock: Clock): PatientFs {
  const unlinkInPool = promisify(files.unlink)
  const tryAll = async (
    act: () => void | Promise<void>,
    codes: ReadonlySet<string | undefined>,
    onRepeatedFailure: () => void = () => undefined,
  ): Promise<void> => {
    for (const [failures, delayMs] of passingDelaysMs.entries()) {
      try {
        return await act()
      } catch (error) {
        if (!codes.has((error as NodeJS.ErrnoException).code)) throw error
        if (failures + 1 === failuresBeforeNotice) onRepeatedFailure()
        await clock.sleep(delayMs)
      }
    }
    await act()
  }
  const unlinkOrFindMade = (path: string) =>
    unlinkInPool(path).catch((error: unknown) => throwUnlessMade(files, path, error))
  return {
    rename: (from, to) => tryAll(() => renameOrFindMade(files, from, to), lockedCodes),
    unlink: (path) => tryAll(() => unlinkOrFindMade(path), lockedCodes),
    tryPatiently: (act, onRepeatedFailure) => tryAll(act, lockedOrFailedCodes, onRepeatedFailure),
  }
}

function renameOrFindMade(files: Pick<Files, 'renameSync' | 'lstatSync'>, from: string, to: string): void {
  try {
    files.renameSync(from, to)
  } catch (error) {
    throwUnlessMade(files, from, error)
  }
}

/** Throws the error of a rename or unlink, unless the path is gone because of it. ENOENT is always thrown. */
function throwUnlessMade(files: Pick<Files, 'lstatSync'>, path: string, error: unknown): void {
  if (isGone(error) || files.lstatSync(path, { throwIfNoEntry: false })) throw error
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
