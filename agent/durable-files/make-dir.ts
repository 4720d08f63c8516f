import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type DirSetting, dirUnusable } from './dir-unusable.ts'

/**
 * Makes the directory of a setting and what is missing above it.
 *
 * @throws {DirUnusableError}
 */
export function makeDir(setting: DirSetting, path: string, mode: number): void {
  try {
    makeMissingDirs(path, mode)
    if (!statSync(path).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
  } catch (error) {
    throw dirUnusable(setting, path, error)
  }
}

/**
 * Makes a directory and what is missing above it, one by one: Node's own way never ends where the system says that a
 * directory can neither be found nor made, as in `/proc`.
 */
export function makeMissingDirs(path: string, mode: number): void {
  const missing: string[] = []
  for (let at = resolve(path); !isThere(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  for (const dir of missing) mkdirSync(dir, { mode })
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
