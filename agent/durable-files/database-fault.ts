import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DirSetting, type DirUnusableError, dirUnusable } from './dir-unusable.ts'
import { unfinishedIn } from './replace-file.ts'

/** What an error of SQLite says of a database. */
export type DatabaseState =
  /** Another process has it. */
  | 'held'
  /** What stands in the file is no database, or a broken one. */
  | 'damaged'
  /** Nothing is known of the file: it could not be read or written. */
  | 'unreachable'

const states: ReadonlyMap<number, DatabaseState> = new Map([
  [5, 'held'],
  [6, 'held'],
  [11, 'damaged'],
  [26, 'damaged'],
])
const sqliteFull = 13
const sqliteIoError = 10

/** The kind of an error of SQLite. @see https://sqlite.org/rescode.html */
export function databaseStateBy(error: unknown): DatabaseState {
  return states.get(primaryCode(error) ?? 0) ?? 'unreachable'
}

/** Whether there was no room for what SQLite wanted to write. */
export function isForWantOfRoom(error: unknown): boolean {
  return primaryCode(error) === sqliteFull
}

/** Says why a database cannot be reached. SQLite keeps the system's error to itself: the same is tried to learn it. */
export function databaseUnreachable(setting: DirSetting, path: string, error: unknown): DirUnusableError {
  if (isForWantOfRoom(error)) return dirUnusable(setting, dirname(path), { code: 'ENOSPC' })
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    const systemError = errorOf(() => statSync(file, { throwIfNoEntry: false }) && closeSync(openSync(file, 'r+')))
    if (systemError) return dirUnusable(setting, file, systemError)
  }
  const systemError = errorOf(() => tryToWriteIn(dirname(path)))
  if (systemError) return dirUnusable(setting, dirname(path), systemError)
  return dirUnusable(setting, path, primaryCode(error) === sqliteIoError ? { code: 'EIO' } : error)
}

function primaryCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
}

function errorOf(act: () => unknown): unknown {
  try {
    act()
    return undefined
  } catch (error) {
    return error
  }
}

/** As much as SQLite needs beside a database that it opens. */
function tryToWriteIn(dir: string): void {
  const probe = unfinishedIn(dir)
  try {
    const fd = openSync(probe, 'wx', 0o600)
    try {
      for (let left = 65_536; left > 0; ) left -= writeSync(fd, Buffer.alloc(left))
    } finally {
      closeSync(fd)
    }
  } finally {
    rmSync(probe, { force: true })
  }
}
