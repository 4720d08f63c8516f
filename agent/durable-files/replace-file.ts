import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Files } from './files.ts'

const temporaryName = /^\.[0-9a-f]{32}\.tmp$/
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/**
 * Puts a file with this text in the place of anything that has its name, in one step. A link of that name is replaced
 * and never followed: others may write in the directory. A power cut may lose it.
 *
 * @param mode Of the file, less the umask.
 * @throws {NodeJS.ErrnoException} The old file is still there.
 */
export function replaceFile(files: Files, path: string, text: string, mode: number): void {
  const temporary = unfinishedIn(files, dirname(path))
  const fd = files.openSync(temporary, newFile, mode)
  try {
    try {
      files.writeFileSync(fd, text)
    } finally {
      files.closeSync(fd)
    }
    files.renameSync(temporary, path)
  } catch (error) {
    files.rmSync(temporary, { force: true })
    throw error
  }
}

/** A hidden name that is used once. The next start removes a file that a killed process left under such a name. */
export function unfinishedIn(files: Pick<Files, 'newName'>, dir: string): string {
  return join(dir, `.${files.newName()}.tmp`)
}

/** Whether a name was made by `unfinishedIn`. */
export function isUnfinished(name: string): boolean {
  return temporaryName.test(name)
}

/** Removes what a killed process left. Only the directory's owner may do this. */
export function removeUnfinishedFiles(files: Files, dir: string): void {
  for (const name of files.readdirSync(dir)) {
    const path = join(dir, name)
    if (isUnfinished(name) && files.lstatSync(path, { throwIfNoEntry: false })?.isFile())
      files.rmSync(path, { force: true })
  }
}
