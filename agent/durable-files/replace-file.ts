import { randomBytes } from 'node:crypto'
import { closeSync, constants, lstatSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const temporaryName = /^\.[0-9a-f]{32}\.tmp$/
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Puts a file with this text in place of whatever has its name, in one step. A link of that name is replaced and never
 * followed: others may write in the directory. No promise that a power cut leaves it.
 *
 * @param mode Of the file, less the umask.
 * @throws {NodeJS.ErrnoException} What was there still is.
 */
export function replaceFile(path: string, text: string, mode: number): void {
  const temporary = unfinishedIn(dirname(path))
  const fd = openSync(temporary, newFile, mode)
  try {
    try {
      writeFileSync(fd, text)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A hidden name that is used once. The next start removes a file that a killed process left under such a name. */
export function unfinishedIn(dir: string): string {
  return join(dir, `.${randomBytes(16).toString('hex')}.tmp`)
}

/** Whether a name was made by `unfinishedIn`. */
export function isUnfinished(name: string): boolean {
  return temporaryName.test(name)
}

/** Removes what a killed process left. Only the directory's owner may do this. */
export function removeUnfinishedFiles(dir: string): void {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name)
    if (isUnfinished(name) && lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path, { force: true })
  }
}
