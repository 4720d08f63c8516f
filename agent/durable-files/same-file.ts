import { asSentence } from '../language/problem.ts'
import type { DirSetting } from './dir-unusable.ts'
import type { Files } from './files.ts'

/** A file or directory of the agent was removed or replaced while the agent ran. Everything written to it since then is lost. */
export class RemovedError extends Error {
  override readonly name = 'RemovedError'

  constructor(setting: DirSetting, path: string, cure: string) {
    super(`${setting}: ${path} was removed or replaced while the agent ran. ${asSentence(cure)}`)
  }
}

/**
 * Remembers which file has this path now. An open file continues to work after it was removed, but nothing that is
 * written to it can be found again.
 *
 * @returns A function that says whether the path still is that file. If it cannot be checked, the answer is true.
 */
export function trackFile(files: Files, path: string): () => boolean {
  const { ino, dev } = files.statSync(path, { bigint: true })
  return () => {
    try {
      const now = files.statSync(path, { bigint: true, throwIfNoEntry: false })
      return now?.ino === ino && now.dev === dev
    } catch {
      return true
    }
  }
}
