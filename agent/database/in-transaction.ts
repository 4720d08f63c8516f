import type { DatabaseSync } from 'node:sqlite'

/** Runs several statements in one transaction: all of them, or none if one of them throws. */
export function inTransaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(db)
    throw error
  }
}

function rollBack(db: DatabaseSync): void {
  try {
    // SQLite rolls back by itself after some errors, such as a full disk.
    if (db.isTransaction) db.exec('ROLLBACK')
  } catch {
    // The error that made the commit fail is the one to report.
  }
}
