import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'

/** Makes an empty file that only its owner may read and write, if it is missing. SQLite gives its other files the same mode. */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) makePrivate(path)
  else closeSync(openSync(path, 'a', 0o600))
}

/**
 * Removes all other users' rights to a file, if the file exists. A process that does not own the file cannot do that
 * and continues.
 */
export function makePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  if (mode === undefined || (mode & 0o077) === 0) return
  try {
    chmodSync(path, 0o600)
  } catch {
    // Opening the file reports what is wrong.
  }
}
