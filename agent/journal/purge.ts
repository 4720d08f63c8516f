import type { Clock } from '../clock/clock.ts'
import { StoreFullError } from '../database/store-errors.ts'
import type { CallTable } from './call-table.ts'
import type { JournalTime } from './journal-time.ts'

const intervalMs = 60_000
/** Until the next part, while there is more to delete. */
const nextPartMs = 100
/** Few enough that no call waits for it. */
const partSize = 500

/** What the purge works with. */
export interface Purge {
  readonly calls: CallTable
  readonly time: JournalTime
  readonly clock: Clock
  /** Whether the request of an id still waits for its answer. Its row stays. */
  readonly isUnanswered: (id: string) => boolean
  /** @throws {StoreFullError} */
  readonly commit: <Result>(work: () => Result) => Result
}

/**
 * Deletes the rows whose window ended: each minute, and faster while there are many. It goes from the oldest row to the
 * first whose window has not ended; a shorter window behind that one is deleted some minutes later.
 *
 * @returns Stops it.
 */
export function startPurging({ calls, time, clock, isUnanswered, commit }: Purge): () => void {
  /** @returns The rowid after which to continue; undefined when the rest has not ended. */
  const deletePart = (afterRowid: number): number | undefined => {
    const rows = calls.listOldest(afterRowid, partSize)
    for (const { rowid, id, ends_at_ms } of rows) {
      if (ends_at_ms === null || isUnanswered(id)) continue
      if (ends_at_ms >= time.nowMs()) return undefined
      calls.deleteRow(rowid)
    }
    return rows.length < partSize ? undefined : rows.at(-1)?.rowid
  }
  const purge = (afterRowid: number): void => {
    const lastRowid = commitOrWait(afterRowid)
    cancel = clock.after(lastRowid === undefined ? intervalMs : nextPartMs, () => purge(lastRowid ?? 0))
  }
  /** Rows that cannot be deleted because the disk is full are deleted the next time. */
  const commitOrWait = (afterRowid: number): number | undefined => {
    try {
      return commit(() => deletePart(afterRowid))
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      return undefined
    }
  }
  let cancel = clock.after(intervalMs, () => purge(0))
  return () => cancel()
}
