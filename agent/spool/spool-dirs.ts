import {
  closeSync,
  fsyncSync,
  mkdirSync,
  opendirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { causeOf } from '../durable-files/cause.ts'
import { cureOf } from '../durable-files/cure.ts'
import { unfinishedIn } from '../durable-files/replace-file.ts'

/** Where a spool's files lie. @see interface section 4.10 */
export interface SpoolDirs {
  readonly root: string
  readonly outbox: string
  readonly inbox: string
}

/** The spool cannot be used as it is. The message says what to do. */
export class SpoolUnusableError extends Error {
  override readonly name = 'SpoolUnusableError'
}

/** The directories of the spool at `root`. Nothing is made. */
export function spoolDirs(root: string): SpoolDirs {
  return { root, outbox: join(root, 'outbox'), inbox: join(root, 'inbox') }
}

/** Makes the directories that are missing. */
export function makeSpoolDirs({ outbox, inbox }: SpoolDirs): void {
  mkdirSync(outbox, { recursive: true })
  mkdirSync(inbox, { recursive: true })
}

/**
 * Tries for real what every answer needs: reading the outbox, writing in both directories, and renaming from one to the
 * other.
 *
 * @param sync `left-out` for a spool at work: nobody may be held up by a disk that does not answer.
 * @throws {SpoolUnusableError} It does not work, for instance because they lie on different file systems.
 */
export function probeSpool({ root, outbox, inbox }: SpoolDirs, sync: 'tried' | 'left-out' = 'tried'): void {
  const probe = unfinishedIn(outbox)
  const target = unfinishedIn(inbox)
  try {
    opendirSync(outbox).closeSync()
    writeProbe(probe, sync)
    renameSync(probe, target)
  } catch (error) {
    const text = `SERVICE_SPOOL_DIR: ${root}: ${causeOf(error as Error)}: ${cureOf(error as Error)}`
    throw new SpoolUnusableError(text, { cause: error })
  } finally {
    removeProbe(probe)
    removeProbe(target)
  }
}

function writeProbe(path: string, sync: 'tried' | 'left-out'): void {
  const fd = openSync(path, 'wx', 0o644)
  try {
    writeSync(fd, 'probe')
    if (sync === 'tried') fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Where that fails the probe has failed already, and what is left of it goes with the next start. */
function removeProbe(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Told by then, or never made.
  }
}

/** Whether the same text in another case names the same file here. */
export function isCaseInsensitive({ outbox }: SpoolDirs): boolean {
  // Named as what the next start removes, should this one not come to that.
  const probe = unfinishedIn(outbox)
  closeSync(openSync(probe, 'wx'))
  try {
    return statSync(join(outbox, basename(probe).toUpperCase()), { throwIfNoEntry: false }) !== undefined
  } finally {
    rmSync(probe, { force: true })
  }
}
