import type { DatabaseSync } from 'node:sqlite'
import type { JournalledCall } from '../call/idempotency-journal.ts'

/** The row of a call. A `once` call that is under way has neither answer nor end. */
export interface CallRow {
  readonly fingerprint: string
  readonly operation: string
  readonly answer: string | null
  readonly ends_at_ms: number | null
}

/** A row and its place: a row that is written again becomes the newest. */
export interface OldRow {
  readonly rowid: number
  readonly id: string
  readonly ends_at_ms: number | null
}

/** Makes the functions of the table of calls, each one statement of SQL. It has one row for each id. */
export function callTable(db: DatabaseSync) {
  const select = db.prepare('SELECT fingerprint, operation, answer, ends_at_ms FROM call WHERE id = ?')
  const countRows = db.prepare('SELECT count(*) AS entries FROM call')
  const replaceRow = db.prepare(
    'INSERT OR REPLACE INTO call (id, fingerprint, operation, answer, ends_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const deleteId = db.prepare('DELETE FROM call WHERE id = ?')
  const deleteRow = db.prepare('DELETE FROM call WHERE rowid = ?')
  const selectOldest = db.prepare('SELECT rowid, id, ends_at_ms FROM call WHERE rowid > ? ORDER BY rowid LIMIT ?')
  const settleIntents = db.prepare('UPDATE call SET answer = ?, ends_at_ms = ? WHERE ends_at_ms IS NULL')
  const latestEnd = db.prepare(
    'SELECT max(ends_at_ms) AS ends_at_ms FROM (SELECT ends_at_ms FROM call ORDER BY rowid DESC LIMIT 1000)',
  )
  const shorten = db.prepare('UPDATE call SET ends_at_ms = ?1 WHERE ends_at_ms > ?1')

  function replace(call: JournalledCall, answer: string | null, endsAtMs: number | null): void {
    replaceRow.run(call.id, call.fingerprint, call.operationName, answer, endsAtMs)
  }

  return {
    replace,
    read: (id: string) => select.get(id) as CallRow | undefined,
    count: () => Number(countRows.get()?.['entries']),
    delete: (id: string) => void deleteId.run(id),
    deleteRow: (rowid: number) => void deleteRow.run(rowid),
    /** The rows behind one, in the order in which they were written. */
    listOldest: (afterRowid: number, max: number) => selectOldest.all(afterRowid, max) as unknown as readonly OldRow[],
    /** Changes nothing, with a write: for finding out whether the table can be written. No call has an empty id. */
    touch(): void {
      replace({ id: '', fingerprint: '', operationName: '' }, null, null)
      deleteId.run('')
    },
    /** Gives this answer and this end to each call that has none. */
    settleIntents: (answer: string, endsAtMs: number) => void settleIntents.run(answer, endsAtMs),
    /** Lets no window end after this time. Reads the whole table only where one of the newest rows says that it must. */
    shortenWindows(endsAtMs: number): void {
      const latestEndMs = Number(latestEnd.get()?.['ends_at_ms'] ?? 0)
      if (latestEndMs > endsAtMs) shorten.run(endsAtMs)
    },
  }
}

/** Of `callTable`. */
export type CallTable = ReturnType<typeof callTable>
