import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import writeFileAtomic from 'write-file-atomic'
import { databaseStateBy, databaseUnreachable } from '../durable-files/database-fault.ts'
import { type DirSetting, DirUnusableError, dirUnusable } from '../durable-files/dir-unusable.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { makeDir } from '../durable-files/make-dir.ts'
import { makePrivateFile } from '../durable-files/private-file.ts'
import { removeUnfinishedFiles, replaceFile } from '../durable-files/replace-file.ts'
import { RemovedError, trackFile } from '../durable-files/same-file.ts'
import { isOutOfSpace } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { LockedError, type TakeOwnership } from './ownership.ts'

/**
 * Locks a directory for this process. The lock belongs to the operating system, through an open database: it ends with the
 * process, however that ends, and no clock can end it before.
 */
export const takeOwnership: TakeOwnership = ({ setting, path, mode }, owner) => {
  makeDir(hostFiles, setting, path, mode)
  const [lockFile, ownerFile] = [join(path, 'owner.lock'), join(path, 'owner.json')]
  const lock = takeLock(setting, path, lockFile)
  try {
    const isSameFile = trackFile(hostFiles, lockFile)
    removeUnfinishedFiles(hostFiles, path)
    writeOwner(setting, ownerFile, owner)
    return {
      assertSameDir() {
        if (!isSameFile()) throw new RemovedError(setting, path, cures.makeDirAgain())
      },
      release() {
        // In another directory of this name the owner file is another agent's.
        if (isSameFile()) removeOwner(ownerFile)
        lock.close()
      },
    }
  } catch (error) {
    lock.close()
    throw dirUnusable(setting, path, error)
  }
}

function takeLock(setting: DirSetting, dir: string, lockFile: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    makePrivateFile(lockFile)
    db = new DatabaseSync(lockFile, { timeout: 0 })
    // Nothing is ever written, so a rollback journal on a full disk would only need space.
    db.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db?.close()
    switch (databaseStateBy(error)) {
      case 'locked':
        throw new LockedError(dir, `another market-agent (${readOwner(dir)})`)
      case 'damaged':
        throw new DirUnusableError(setting, lockFile, 'not a lock of market-agent', cures.removeLock(), error)
      case 'unreachable':
        throw databaseUnreachable(setting, lockFile, error)
    }
  }
}

/** The owner file is for people. On a full disk the agent works without it. */
function writeOwner(setting: DirSetting, file: string, owner: string): void {
  const text = JSON.stringify({ owner })
  try {
    if (setting === 'SERVICE_STATE_DIR') writeInOwnDir(file, text)
    // Others may write in the spool. There write-file-atomic would follow a link.
    else replaceFile(hostFiles, file, text, 0o600)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
    removeOwner(file)
  }
}

/** Also removes what a killed process left of such a file. */
function writeInOwnDir(file: string, text: string): void {
  const [dir, name] = [dirname(file), basename(file)]
  for (const other of readdirSync(dir)) {
    if (other.startsWith(`${name}.`) && /^\d+$/.test(other.slice(name.length + 1))) rmSync(join(dir, other))
  }
  writeFileAtomic.sync(file, text, { mode: 0o600, fsync: false })
}

function removeOwner(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The next owner replaces it.
  }
}

/** Who owns a directory, or owned it when it was killed. For people. */
export function readOwner(dir: string): string {
  try {
    return (
      (JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8')) as { owner?: string }).owner ?? 'of another version'
    )
  } catch {
    return 'its owner file cannot be read'
  }
}
