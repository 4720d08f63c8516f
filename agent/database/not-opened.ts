import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { databaseStateBy, databaseUnreachable } from '../durable-files/database-fault.ts'
import { dirUnusable } from '../durable-files/dir-unusable.ts'
import { LockedError } from '../ownership/ownership.ts'
import { StoreDamagedError, StoreUnusableError } from './store-errors.ts'

/** A database's file is not what it must be. The file was left as it is. */
export function unusable(path: string, problem: string, cure: string): StoreUnusableError {
  return new StoreUnusableError(messageOf(path, problem, cure))
}

/** A database's file that is broken. */
export function damaged(path: string, problem: string, cure: string): StoreDamagedError {
  return new StoreDamagedError(messageOf(path, problem, cure))
}

function messageOf(path: string, problem: string, cure: string): string {
  return `${path}: ${problem}. The file was left as it is; ${cure}.`
}

/**
 * The error for a database that could not be opened. It says "damaged" only if SQLite does, because a person who moves a
 * healthy database away makes the agent forget what is in it.
 */
export function notOpened(path: string, error: unknown, cureOfDamage: string): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string }
  // An error with a message for people already, or a fault of our own.
  if (code === undefined) return error
  if (errcode === undefined) return dirUnusable('SERVICE_STATE_DIR', path, error)
  switch (databaseStateBy(error)) {
    case 'locked':
      return new LockedError(path, 'another program, which has it open')
    case 'damaged':
      return damaged(path, `damaged or no database (${message})`, cureOfDamage)
    case 'unreachable':
      return databaseUnreachable('SERVICE_STATE_DIR', path, error)
  }
}

/** Reads a database's files to their end. @throws {DirUnusableError} The disk fails. */
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
