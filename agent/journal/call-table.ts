import type { DatabaseSync } from 'node:sqlite'
import type { JournalledCall } from '../call/idempotency-journal.ts'

/** The row of a call. A `once` call that is under way has neither answer nor end. */
export interface CallRow {
  readonly fingerprint: string
  readonly answer: string | null
  readonly ends_at_ms: number | null
}

/** The table of calls: one row for each id. Every function is one statement of SQL. */
export class CallTable {
  readonly #select
  readonly #replace
  readonly #delete
  readonly #deleteRow
  readonly #selectEnded
  readonly #settleIntents
  readonly #shorten

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT fingerprint, answer, ends_at_ms FROM call WHERE id = ?')
    this.#replace = db.prepare(
      'INSERT OR REPLACE INTO call (id, fingerprint, operation, answer, ends_at_ms) VALUES (?, ?, ?, ?, ?)',
    )
    this.#delete = db.prepare('DELETE FROM call WHERE id = ?')
    this.#deleteRow = db.prepare('DELETE FROM call WHERE rowid = ?')
    this.#selectEnded = db.prepare('SELECT rowid, id FROM call WHERE ends_at_ms < ? ORDER BY ends_at_ms LIMIT ?')
    this.#settleIntents = db.prepare('UPDATE call SET answer = ?, ends_at_ms = ? WHERE ends_at_ms IS NULL')
    this.#shorten = db.prepare('UPDATE call SET ends_at_ms = ?1 WHERE ends_at_ms > ?1')
  }

  read(id: string): CallRow | undefined {
    return this.#select.get(id) as CallRow | undefined
  }

  replace({ id, fingerprint, operationName }: JournalledCall, answer: string | null, endsAtMs: number | null): void {
    this.#replace.run(id, fingerprint, operationName, answer, endsAtMs)
  }

  delete(id: string): void {
    this.#delete.run(id)
  }

  /** The ids whose window ended before a time, those that ended first. */
  listEnded(beforeMs: number, max: number): readonly { readonly rowid: number; readonly id: string }[] {
    return this.#selectEnded.all(beforeMs, max) as unknown as { rowid: number; id: string }[]
  }

  deleteRow(rowid: number): void {
    this.#deleteRow.run(rowid)
  }

  /** Changes nothing, with a write: for finding out whether the table can be written. No call has an empty id. */
  touch(): void {
    this.replace({ id: '', fingerprint: '', operationName: '' }, null, null)
    this.delete('')
  }

  /** Gives this answer and this end to each call that has none. */
  settleIntents(answer: string, endsAtMs: number): void {
    this.#settleIntents.run(answer, endsAtMs)
  }

  /** Lets no window end after this time. */
  shortenWindows(endsAtMs: number): void {
    this.#shorten.run(endsAtMs)
  }
}
