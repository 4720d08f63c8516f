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
  readonly commit: (work: () => number) => number
}

/**
 * Deletes the rows whose window ended: each minute, and faster while there are many.
 *
 * @returns Stops it.
 */
export function startPurging({ calls, time, clock, isUnanswered, commit }: Purge): () => void {
  const deletePart = (): number => {
    const ended = calls.listEnded(time.nowMs(), partSize)
    for (const { rowid, id } of ended) if (!isUnanswered(id)) calls.deleteRow(rowid)
    return ended.length
  }
  const purge = (): void => {
    const isMoreLeft = commitOrWait() === partSize
    cancel = clock.after(isMoreLeft ? nextPartMs : intervalMs, purge)
  }
  /** What cannot be deleted because the disk is full is deleted the next time. */
  const commitOrWait = (): number => {
    try {
      return commit(deletePart)
    } catch (error) {
      if (!(error instanceof StoreFullError)) throw error
      return 0
    }
  }
  let cancel = clock.after(intervalMs, purge)
  return () => cancel()
}
