import type { DatabaseSync } from 'node:sqlite'

/** The envelopes that were opened and have not expired, by (kid, jti). */
export function replayTable(database: DatabaseSync) {
  const insert = database.prepare('insert or ignore into replays (kid, jti, exp) values (?, ?, ?)')
  const prune = database.prepare(
    'delete from replays where id in (select id from replays order by id limit ?) and exp <= ?',
  )
  return {
    /** Remembers an envelope until its exp (Unix seconds). False when it was seen before. */
    record: (kid: string, jti: string, exp: number): boolean => Number(insert.run(kid, jti, exp).changes) === 1,
    /**
     * Forgets some of the oldest that have expired and says how many. Rows lie in the order of arrival, so no index by exp is needed,
     * which would cost each request as much again as the row itself.
     */
    prune: (nowS: number, count: number): number => Number(prune.run(count, nowS).changes),
  }
}
