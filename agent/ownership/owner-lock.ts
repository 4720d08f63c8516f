import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseStateBy, databaseUnreachable } from '../durable-files/database-fault.ts'
import { type DirSetting, DirUnusableError, dirUnusable } from '../durable-files/dir-unusable.ts'
import { makeDir } from '../durable-files/make-dir.ts'
import { removeUnfinishedFiles, replaceFile } from '../durable-files/replace-file.ts'
import { RemovedError, trackFile } from '../durable-files/same-file.ts'

/** Another live process has what the agent needs for itself. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
  readonly path: string
  readonly holder: string

  constructor(path: string, holder: string) {
    super(`${path} is held by ${holder}`)
    this.path = path
    this.holder = holder
  }
}

/** A directory to take. */
export interface OwnedDir {
  readonly setting: DirSetting
  readonly path: string
  /** Its mode, where it has to be made. */
  readonly mode: number
}

/** The right to be the only live agent that works in a directory. */
export interface Ownership {
  /**
   * Makes sure that the directory is still the one that was taken. In another of the same name another agent may work.
   *
   * @throws {RemovedError}
   */
  assertStanding(): void
  /** Gives the directory free. */
  release(): void
}

/**
 * Takes a directory for this process, and makes it where it is missing. The lock is the operating system's, held through
 * an open database: it ends with the process however that ends, and no clock can end it before.
 *
 * @param holder Tells others who has it.
 * @throws {LockedError} Another live process has it.
 * @throws {DirUnusableError} It cannot be made, read or written.
 */
export function takeOwnership({ setting, path, mode }: OwnedDir, holder: string): Ownership {
  makeDir(setting, path, mode)
  const [lock, note] = [join(path, 'owner.lock'), join(path, 'owner.json')]
  const db = locked(setting, path, lock)
  try {
    const isSameFile = trackFile(lock)
    removeUnfinishedFiles(path)
    tellHolder(note, holder)
    return {
      assertStanding() {
        if (!isSameFile()) throw new RemovedError(setting, path, 'Start the agent again: it makes what is missing')
      },
      release() {
        // In another directory of this name the note is another agent's.
        if (isSameFile()) forgetHolder(note)
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw dirUnusable(setting, path, error)
  }
}

function locked(setting: DirSetting, dir: string, lock: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(lock, { timeout: 0 })
    // Nothing is ever written: a rollback journal on disk would only want room, which a full one does not have.
    db.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db?.close()
    switch (databaseStateBy(error)) {
      case 'held':
        throw new LockedError(dir, `another market-agent (${holderOf(dir)})`)
      case 'damaged': {
        const fault = { problem: 'no lock of market-agent', cure: 'Remove that file; it holds nothing else' }
        throw new DirUnusableError(setting, lock, fault, error)
      }
      case 'unreachable':
        throw databaseUnreachable(setting, lock, error)
    }
  }
}

/** On a full disk nobody learns who holds the directory. The lock is what counts. */
function tellHolder(note: string, holder: string): void {
  try {
    replaceFile(note, JSON.stringify({ holder }), 0o644)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
    forgetHolder(note)
  }
}

function forgetHolder(note: string): void {
  try {
    rmSync(note, { force: true })
  } catch {
    // The next owner writes its own name.
  }
}

function holderOf(dir: string): string {
  try {
    return String((JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8')) as { holder: unknown }).holder)
  } catch {
    return 'which tells no name'
  }
}
