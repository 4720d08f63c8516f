import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { databaseStateBy, databaseUnreachable } from '../durable-files/database-fault.ts'
import { dirUnusable } from '../durable-files/dir-unusable.ts'
import { LockedError } from '../ownership/owner-lock.ts'
import { JournalDamagedError, JournalUnusableError } from './journal-unusable.ts'

/** The journal's file is not what it must be. The file was left as it is. */
export function unusable(path: string, problem: string, cure: string): JournalUnusableError {
  return new JournalUnusableError(messageOf(path, problem, cure))
}

/** A journal's file that is broken, with the only cure there is. */
export function damaged(path: string, problem: string): JournalDamagedError {
  const cure =
    'move it away to begin with an empty journal. Do not put an older copy in its place: it does not know which calls were sent since'
  return new JournalDamagedError(messageOf(path, problem, cure))
}

function messageOf(path: string, problem: string, cure: string): string {
  return `${path}: ${problem}. The file was left as it is; ${cure}.`
}

/**
 * The error for a journal that could not be opened. It says "damaged" only if SQLite does, because a person who moves a
 * healthy journal away makes the agent forget what was sent.
 */
export function notOpened(path: string, error: unknown): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string }
  // An error with a message for people already, or a fault of our own.
  if (code === undefined) return error
  if (errcode === undefined) return dirUnusable('SERVICE_STATE_DIR', path, error)
  switch (databaseStateBy(error)) {
    case 'locked':
      return new LockedError(path, 'another program, which has it open')
    case 'damaged':
      return damaged(path, `damaged or no database (${message})`)
    case 'unreachable':
      return databaseUnreachable('SERVICE_STATE_DIR', path, error)
  }
}

/** Reads the journal's files to their end. @throws {DirUnusableError} The disk fails. */
export function readThrough(path: string): void {
  for (const file of [path, `${path}-wal`]) {
    try {
      if (existsSync(file)) readToEnd(file)
    } catch (error) {
      throw dirUnusable('SERVICE_STATE_DIR', file, error)
    }
  }
}

function readToEnd(file: string): void {
  const fd = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(1_048_576)
    for (let at = 0, read = -1; read !== 0; at += read) read = readSync(fd, chunk, 0, chunk.length, at)
  } finally {
    closeSync(fd)
  }
}
