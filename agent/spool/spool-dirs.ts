import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'

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

export function spoolDirs(root: string): SpoolDirs {
  return { root, outbox: join(root, 'outbox'), inbox: join(root, 'inbox') }
}

/** Makes the directories that are missing. */
export function makeSpoolDirs({ outbox, inbox }: SpoolDirs): void {
  mkdirSync(outbox, { recursive: true })
  mkdirSync(inbox, { recursive: true })
}

/**
 * Tries for real what every answer needs: writing in both directories, and renaming from one to the other.
 *
 * @throws {SpoolUnusableError} It does not work, for instance because they lie on different file systems.
 */
export function probeSpool({ root, outbox, inbox }: SpoolDirs): void {
  const probe = temporaryIn(outbox)
  const target = join(inbox, `.${randomBytes(16).toString('hex')}.tmp`)
  try {
    const fd = openSync(probe, 'wx', 0o644)
    writeSync(fd, 'probe')
    fsyncSync(fd)
    closeSync(fd)
    renameSync(probe, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const cure =
      code === 'EXDEV'
        ? 'outbox and inbox must lie on one file system'
        : `the agent's user must be able to write in ${outbox} and ${inbox} (${code})`
    throw new SpoolUnusableError(`SERVICE_SPOOL_DIR: ${root}: ${cure}`, { cause: error })
  } finally {
    rmSync(probe, { force: true })
    rmSync(target, { force: true })
  }
}

/** A hidden name that nobody else uses. */
export function temporaryIn(dir: string): string {
  return join(dir, `.${randomBytes(16).toString('hex')}.tmp`)
}

/** Whether the same text in another case names the same file here. */
export function isCaseInsensitive({ outbox }: SpoolDirs): boolean {
  // Named as what the next start removes, should this one not come to that.
  const probe = temporaryIn(outbox)
  closeSync(openSync(probe, 'wx'))
  try {
    return statSync(join(outbox, basename(probe).toUpperCase()), { throwIfNoEntry: false }) !== undefined
  } finally {
    rmSync(probe, { force: true })
  }
}
