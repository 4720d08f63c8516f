import { statSync } from 'node:fs'
import type { DirSetting } from './dir-unusable.ts'

/** What the agent works with was taken from under it. Whatever it wrote there since is gone with it. */
export class RemovedError extends Error {
  override readonly name = 'RemovedError'

  constructor(setting: DirSetting, path: string, cure: string) {
    super(`${setting}: ${path} was removed or replaced while the agent ran. ${cure}`)
  }
}

/**
 * Remembers which file has a name now. An open file goes on working after it was removed, and nothing written to it is
 * ever found again.
 *
 * @returns Whether the name still means that file. What cannot be looked at for another reason counts as standing.
 */
export function standing(path: string): () => boolean {
  const { ino, dev } = statSync(path, { bigint: true })
  return () => {
    try {
      const now = statSync(path, { bigint: true, throwIfNoEntry: false })
      return now?.ino === ino && now.dev === dev
    } catch {
      return true
    }
  }
}
