import { rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'

/** The disk, or the quota of the user, has no room for the commit. None of the work has happened. */
export const diskFull = Symbol('disk full')

/** SQLite failed in a way that does not pass: the store can no longer be trusted. */
export class StoreBrokenError extends Error {
  override readonly name = 'StoreBrokenError'
}

const sqliteFull = 13
const sqliteIoErrorWrite = 778

/** Runs `work` in one database transaction, begun and committed before it returns. */
export type Transact = <Result>(work: () => Result) => Result | typeof diskFull

/**
 * One process owns the database and SQLite answers at once, so a transaction is a plain function call: what it returns
 * is committed and outlives the process. An error of `work` undoes its writes and is thrown again.
 *
 * @param onCommitted Called after each commit, before its result is returned.
 * @param onBroken Called before a {@link StoreBrokenError} is thrown.
 */
export function makeTransact(
  database: DatabaseSync,
  { onCommitted, onBroken }: { onCommitted: () => void; onBroken: (error: StoreBrokenError) => void },
): Transact {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  return (work) => {
    let result: ReturnType<typeof work>
    let isWorking = false
    try {
      begin.run()
      isWorking = true
      result = work()
      isWorking = false
      commit.run()
    } catch (cause) {
      // SQLite gives the whole transaction up by itself when it cannot write. Otherwise the work itself has thrown.
      const isOfWork = isWorking && database.isTransaction
      if (database.isTransaction) rollback.run()
      if (isOfWork) throw cause
      if (isOutOfSpace(cause, database)) return diskFull
      const error = new StoreBrokenError('the database could not commit', { cause })
      onBroken(error)
      throw error
    }
    onCommitted()
    return result
  }
}

/**
 * SQLite reports a used-up quota as any write that fails. So a write next to the database is tried, to learn the
 * reason.
 */
function isOutOfSpace(error: unknown, database: DatabaseSync): boolean {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  if (code !== sqliteIoErrorWrite) return code === sqliteFull
  const probe = `${database.location()}-probe`
  try {
    writeFileSync(probe, Buffer.alloc(65_536))
    return false
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).errno === -constants.errno.EDQUOT
  } finally {
    rmSync(probe, { force: true })
  }
}
