import { dirname, resolve } from 'node:path'
import { type DirSetting, dirUnusable } from './dir-unusable.ts'
import type { Files } from './files.ts'

/**
 * Makes the directory of a setting and what is missing above it.
 *
 * @throws {DirUnusableError}
 */
export function makeDir(files: Files, setting: DirSetting, path: string, mode: number): void {
  try {
    makeMissingDirs(files, path, mode)
    if (!files.statSync(path).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
  } catch (error) {
    throw dirUnusable(setting, path, error)
  }
}

/**
 * Makes a directory and what is missing above it, one by one: Node's own way never ends where the system says that a
 * directory can neither be found nor made, as in `/proc`.
 */
export function makeMissingDirs(files: Files, path: string, mode: number): void {
  const missing: string[] = []
  for (let at = resolve(path); !isThere(files, at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  for (const dir of missing) files.mkdirSync(dir, { mode })
}

function isThere(files: Files, path: string): boolean {
  return files.statSync(path, { throwIfNoEntry: false }) !== undefined
}
