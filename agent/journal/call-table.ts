import type { DatabaseSync } from 'node:sqlite'
import type { JournalledCall } from '../call/idempotency-journal.ts'

/** The row of a call. A `once` call that is under way has neither answer nor end. */
export interface CallRow {
  readonly fingerprint: string
  readonly answer: string | null
  readonly ends_at_ms: number | null
}

/** A row and its place: a row that is written again becomes the newest. */
export interface OldRow {
  readonly rowid: number
  readonly id: string
  readonly ends_at_ms: number | null
}

/** The table of calls: one row for each id. Every function is one statement of SQL. */
export class CallTable {
  readonly #select
  readonly #replace
  readonly #count
  readonly #delete
  readonly #deleteRow
  readonly #selectOldest
  readonly #settleIntents
  readonly #latestEnd
  readonly #shorten

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT fingerprint, answer, ends_at_ms FROM call WHERE id = ?')
    this.#count = db.prepare('SELECT count(*) AS entries FROM call')
    this.#replace = db.prepare(
      'INSERT OR REPLACE INTO call (id, fingerprint, operation, answer, ends_at_ms) VALUES (?, ?, ?, ?, ?)',
    )
    this.#delete = db.prepare('DELETE FROM call WHERE id = ?')
    this.#deleteRow = db.prepare('DELETE FROM call WHERE rowid = ?')
    this.#selectOldest = db.prepare('SELECT rowid, id, ends_at_ms FROM call WHERE rowid > ? ORDER BY rowid LIMIT ?')
    this.#latestEnd = db.prepare(
      'SELECT max(ends_at_ms) AS ends_at_ms FROM (SELECT ends_at_ms FROM call ORDER BY rowid DESC LIMIT 1000)',
    )
    this.#shorten = db.prepare('UPDATE call SET ends_at_ms = ?1 WHERE ends_at_ms > ?1')
    this.#settleIntents = db.prepare('UPDATE call SET answer = ?, ends_at_ms = ? WHERE ends_at_ms IS NULL')
  }

  read(id: string): CallRow | undefined {
    return this.#select.get(id) as CallRow | undefined
  }

  replace({ id, fingerprint, operationName }: JournalledCall, answer: string | null, endsAtMs: number | null): void {
    this.#replace.run(id, fingerprint, operationName, answer, endsAtMs)
  }

  count(): number {
    return Number(this.#count.get()?.['entries'])
  }

  delete(id: string): void {
    this.#delete.run(id)
  }

  /** The rows behind one, in the order in which they were written. */
  listOldest(afterRowid: number, max: number): readonly OldRow[] {
    return this.#selectOldest.all(afterRowid, max) as unknown as OldRow[]
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

  /** Lets no window end after this time. Reads the whole table only where one of the newest rows says that it must. */
  shortenWindows(endsAtMs: number): void {
    const latestEndMs = Number(this.#latestEnd.get()?.['ends_at_ms'] ?? 0)
    if (latestEndMs > endsAtMs) this.#shorten.run(endsAtMs)
  }
}
