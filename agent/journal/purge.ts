import type { Clock } from '../clock/clock.ts'
import type { PlacedRow } from './call-rows.ts'
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
  /** Removes what has ended, in a transaction. */
  readonly remove: (ended: readonly PlacedRow[]) => void
}

/**
 * Lets entries go whose window has ended, some thousand at once: each minute, each second while there are more.
 *
 * @returns Ends it.
 */
export function startPurging(
  { db, time }: Pick<Store, 'db' | 'time'>,
  { clock, isUnanswered, looked, remove }: PurgeOptions,
): () => void {
  const oldestFirst = db.prepare(
    'SELECT seq, id, ends_at_ms, ends_at_wall_ms FROM call WHERE ends_at_ms IS NOT NULL ORDER BY seq',
  )
  const find = (): EndedRow[] => {
    const nowMs = time.nowMs()
    const found: EndedRow[] = []
    // What was written first ends first, but for what is kept for less than a window. Where one has not ended, those
    // behind it wait for it.
    for (const row of oldestFirst.iterate() as Iterable<EndedRow>) {
      if (time.endMsOf(row) >= nowMs || found.length === removedAtOnce) break
      if (!isUnanswered(row.id)) found.push(row)
    }
    return found
  }
  const turn = (): void => {
    const ended = looked(find)
    if (ended.length > 0) remove(ended)
    cancel = clock.after(ended.length === removedAtOnce ? nextMs : intervalMs, turn)
  }
  let cancel = clock.after(intervalMs, turn)
  return () => cancel()
}

interface EndedRow extends PlacedRow, WrittenEnd {}
