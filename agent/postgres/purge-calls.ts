import { keyOfItem } from '../call/call.ts'
import { repeat } from '../clock/repeat.ts'
import { ignoreStoreFailure } from '../database/store-errors.ts'
import type { Row } from './session.ts'
import { fromStorable } from './storable.ts'
import type { StoreJournalOptions } from './store-journal.ts'

const intervalMs = 60_000
/** Few enough that no call waits for it. */
const rowsMax = 1_000
/**
 * An agent that has not deleted an id for this long after its window does not come back for it, so any agent deletes it.
 * Nobody needs a long name that was not noted for this long.
 */
const abandonedAfterMs = 7 * 24 * 3_600_000

/**
 * Deletes what is over, each minute. An id whose window has ended is deleted by the agent whose state directory it came
 * from: only that agent knows whether a request with the id is still without an answer.
 *
 * @returns Stops it.
 */
export function startPurging(options: Pick<StoreJournalOptions, 'clock' | 'database' | 'stateDirId' | 'isUnanswered'>) {
  const { clock, database, stateDirId, isUnanswered } = options
  /** Deletes some ids, the first ones after a row. @returns The last row it looked at; undefined if there are no more. */
  const purgePart = async (endedMs: unknown, afterId: unknown): Promise<Row | undefined> => {
    const ended = await database.query(
      `SELECT id, ends_at_ms FROM market_agent.call
         WHERE epoch IS NULL
           AND ends_at_ms < market_agent.now_ms() - CASE WHEN state_dir_id = $1 THEN 0 ELSE $2::bigint END
           AND (ends_at_ms, id) > ($3, $4)
         ORDER BY ends_at_ms, id LIMIT $5`,
      [stateDirId, abandonedAfterMs, endedMs, afterId, rowsMax],
    )
    const ids = ended.map(({ id }) => String(id)).filter((id) => !isUnanswered(fromStorable(id)))
    if (ids.length > 0)
      await database.query(
        'DELETE FROM market_agent.call WHERE id = ANY($1) AND epoch IS NULL AND ends_at_ms < market_agent.now_ms()',
        [ids],
      )
    return ended.length < rowsMax ? undefined : ended.at(-1)
  }
  const purge = async (): Promise<void> => {
    // A note that another agent changes is not old. Waiting for many of them could close a circle.
    await database.query(
      `DELETE FROM market_agent.repair WHERE key IN (SELECT key FROM market_agent.repair
         WHERE quantity IS NULL AND due_at_ms < market_agent.steady_ms() - $1::bigint FOR UPDATE SKIP LOCKED)`,
      [intervalMs],
    )
    await database.query(
      `DELETE FROM market_agent.long_item WHERE noted_at_ms < market_agent.now_ms() - $1::bigint
         AND NOT EXISTS (SELECT FROM market_agent.repair WHERE key = $2 || short)`,
      [abandonedAfterMs, keyOfItem('')],
    )
    for (let last = await purgePart(0, ''); last; ) last = await purgePart(last['ends_at_ms'], last['id'])
  }
  let stop = clock.after(intervalMs, () => {
    // What cannot be deleted now is deleted later.
    stop = repeat(clock, intervalMs, () => purge().catch(ignoreStoreFailure))
  })
  return () => stop()
}
