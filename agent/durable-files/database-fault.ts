import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DirSetting, type DirUnusableError, dirUnusable } from './dir-unusable.ts'
import { hostFiles } from './host-files.ts'
import { unfinishedIn } from './replace-file.ts'
import { codeOf, isOutOfSpace } from './system-errors.ts'

/** What an error of SQLite says about a database. */
export type DatabaseState =
  /** Another process has it open. */
  | 'locked'
  /** The file is not a database, or is a broken one. */
  | 'damaged'
  /** It could not be read or written. The file may be healthy. */
  | 'unreachable'

const states: ReadonlyMap<number, DatabaseState> = new Map([
  [5, 'locked'],
  [6, 'locked'],
  [11, 'damaged'],
  [26, 'damaged'],
])
const sqliteFull = 13
const sqliteIoError = 10
const sqliteConstraint = 19
const sqliteMismatch = 20
const sqliteIoErrorWrite = 778

/** The kind of an error of SQLite. @see https://sqlite.org/rescode.html */
export function databaseStateBy(error: unknown): DatabaseState {
  return states.get(primaryCode(error) ?? 0) ?? 'unreachable'
}

/**
 * The code of the system's error if a commit failed because there was no space. SQLite reports a full disk as such, but a
 * used-up quota as any failed write. So the write is tried again, to learn the code.
 *
 * @param path Of the database, which must be in WAL mode: its commits write to the WAL.
 */
export function codeOfFullDisk(error: unknown, path: string): string | undefined {
  if (primaryCode(error) === sqliteFull) return 'ENOSPC'
  if (sqliteCode(error) !== sqliteIoErrorWrite) return undefined
  const systemError = errorOf(() => tryToAppend(`${path}-wal`))
  return isOutOfSpace(systemError) ? codeOf(systemError) : undefined
}

/** Whether a statement, or a value that it was given, is wrong: the database itself is healthy. */
export function isBugOfOneChange(error: unknown): boolean {
  const code = primaryCode(error)
  return error instanceof TypeError || code === sqliteConstraint || code === sqliteMismatch
}

/** Says why a database cannot be reached. SQLite does not report the system's error, so the same is tried to learn it. */
export function databaseUnreachable(setting: DirSetting, path: string, error: unknown): DirUnusableError {
  if (primaryCode(error) === sqliteFull) return dirUnusable(setting, dirname(path), { code: 'ENOSPC' })
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    const systemError = errorOf(() => statSync(file, { throwIfNoEntry: false }) && closeSync(openSync(file, 'r+')))
    if (systemError) return dirUnusable(setting, file, systemError)
  }
  const systemError = errorOf(() => tryToWriteIn(dirname(path)))
  if (systemError) return dirUnusable(setting, dirname(path), systemError)
  return dirUnusable(setting, path, primaryCode(error) === sqliteIoError ? { code: 'EIO' } : error)
}

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined
}

function primaryCode(error: unknown): number | undefined {
  const code = sqliteCode(error)
  return code === undefined ? undefined : code & 0xff
}

function errorOf(act: () => unknown): unknown {
  try {
    act()
    return undefined
  } catch (error) {
    return error
  }
}

/** At least as much as SQLite writes for one commit. */
const probe = Buffer.alloc(65_536)

/** What is behind the last commit in a WAL means nothing to SQLite. */
function tryToAppend(wal: string): void {
  const fd = openSync(wal, 'r+')
  try {
    const { size } = fstatSync(fd)
    try {
      writeWhole(fd, size)
    } finally {
      ftruncateSync(fd, size)
    }
  } finally {
    closeSync(fd)
  }
}

/**
 * Writes as much as SQLite needs next to a database that it opens, and removes it.
 *
 * @throws {NodeJS.ErrnoException} The disk is full, a quota is used up, or a right is missing.
 */
export function tryToWriteIn(dir: string): void {
  const path = unfinishedIn(hostFiles, dir)
  try {
    const fd = openSync(path, 'wx', 0o600)
    try {
      writeWhole(fd, 0)
    } finally {
      closeSync(fd)
    }
  } finally {
    rmSync(path, { force: true })
  }
}

function writeWhole(fd: number, from: number): void {
  for (let at = 0; at < probe.length; ) at += writeSync(fd, probe, at, probe.length - at, from + at)
}
