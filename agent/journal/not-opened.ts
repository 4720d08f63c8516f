import { databaseStateBy, databaseUnreachable } from '../ownership/database-fault.ts'
import { dirUnusable } from '../ownership/dir-unusable.ts'
import { HeldError } from '../ownership/owner-lock.ts'
import { JournalUnusableError } from './idempotency-journal.ts'

/** The journal's file is not what it must be. The file was left as it is. */
export function unusable(path: string, problem: string, cure: string): JournalUnusableError {
  return new JournalUnusableError(`${path}: ${problem}. The file was left as it is; ${cure}.`)
}

/** A journal's file that is broken, with the only cure there is. */
export function damaged(path: string, problem: string): JournalUnusableError {
  const cure =
    'move it away to begin with an empty memory. An older copy in its place would forget calls that were sent'
  return unusable(path, problem, cure)
}

/**
 * What it means that the journal could not be opened. To move a healthy journal away is to forget what was sent: only
 * what SQLite calls damage is called so here.
 */
export function notOpened(path: string, error: unknown): unknown {
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string }
  // What is told already, and our own faults.
  if (code === undefined) return error
  if (errcode === undefined) return dirUnusable('SERVICE_STATE_DIR', path, error)
  switch (databaseStateBy(error)) {
    case 'held':
      return new HeldError(path, 'another program, which has it open')
    case 'damaged':
      return damaged(path, `damaged or no database (${message})`)
    case 'unreachable':
      return databaseUnreachable('SERVICE_STATE_DIR', path, error)
  }
}
