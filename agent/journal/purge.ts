import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import type { WrittenEnd } from './journal-time.ts'
import type { Store } from './open-store.ts'

const intervalMs = 60_000
const nextMs = 1_000
const removedAtOnce = 5_000

/** What purging needs beside the store. */
export interface PurgeOptions {
  readonly clock: Clock
  /** Whether an id's request still waits for its answer: its entry stays. */
  readonly isUnanswered: (id: string) => boolean
  /** Reads from the store, and handles its failure. */
  readonly looked: <Result>(look: () => Result) => Result
  /** Removes what has ended, in a transaction; but not what was written again since it was found. */
  readonly write: (remove: () => void) => void
}

/**
 * Lets entries go whose window has ended, some thousand at once: each minute, each second while there are more.
 *
 * @returns Ends it.
 */
export function startPurging({ db, time }: Store, { clock, isUnanswered, looked, write }: PurgeOptions): () => void {
  const byEnd = db.prepare(
    'SELECT id, ends_at_ms, ends_at_wall_ms FROM call WHERE ends_at_ms IS NOT NULL ORDER BY ends_at_ms',
  )
  const find = (): EndedRow[] => {
    const nowMs = time.nowMs()
    const found: EndedRow[] = []
    // What a former process wrote comes first. Where one has not ended, those behind it wait for it.
    for (const row of byEnd.iterate() as Iterable<EndedRow>) {
      if (time.endMsOf(row) >= nowMs || found.length === removedAtOnce) break
      if (!isUnanswered(row.id)) found.push(row)
    }
    return found
  }
  const turn = (): void => {
    const ended = looked(find)
    if (ended.length > 0) write(() => removeAll(db, ended))
    cancel = clock.after(ended.length === removedAtOnce ? nextMs : intervalMs, turn)
  }
  let cancel = clock.after(intervalMs, turn)
  return () => cancel()
}

interface EndedRow extends WrittenEnd {
  readonly id: string
}

function removeAll(db: DatabaseSync, rows: readonly EndedRow[]): void {
  const remove = db.prepare('DELETE FROM call WHERE id = ? AND ends_at_ms = ?')
  for (const { id, ends_at_ms } of rows) remove.run(id, ends_at_ms)
}
