import type { DatabaseSync } from 'node:sqlite'
import { stubLimits } from './stub-limits.ts'

/**
 * The envelopes that were opened and have not expired, by (kid, jti). A set in memory says what is new, and each new one
 * is appended to the table, from which the next start fills the set.
 *
 * A unique index over random jtis would do the same and dirty one page of the database for each request: measured, it
 * takes a fifth of all reads per second. The price is some 100 bytes of memory for each jti that lives.
 *
 * Of those that have expired the newest are known as well, each with its exp: a clock that is set back must not let the
 * same envelope in again, while another one may bear the jti of one that is over.
 */
export function replayTable(database: DatabaseSync) {
  const insert = database.prepare('insert into replays (kid, jti, exp) values (?, ?, ?)')
  const lastOfOldest = database.prepare('select max(id) as id from (select id from replays order by id limit ?)')
  const prune = database.prepare('delete from replays where id <= ? and exp <= ?')
  const rows = database.prepare('select kid, jti, exp from replays order by id')
  const seen = new Map<string, number>()
  for (const { kid, jti, exp } of rows.iterate()) seen.set(keyOf(String(kid), String(jti)), Number(exp))
  const expired = new Map<string, number[]>()
  let uncommitted: string[] = []
  return {
    /** Remembers an envelope until its exp (Unix seconds). False when it was seen before. */
    record(kid: string, jti: string, exp: number): boolean {
      const key = keyOf(kid, jti)
      if (seen.has(key) || expired.get(key)?.includes(exp)) return false
      insert.run(kid, jti, exp)
      seen.set(key, exp)
      uncommitted.push(key)
      return true
    },
    /** What was recorded is committed. */
    committed(): void {
      if (uncommitted.length > 0) uncommitted = []
    },
    /** What was recorded since the last commit has not happened. */
    undone(): void {
      for (const key of uncommitted) seen.delete(key)
      uncommitted = []
    },
    /** Forgets some of the oldest that have expired and says how many. */
    prune(nowS: number, count: number): number {
      // Table and map are in the order of recording, so that the same ones leave both; reading them back costs as much again.
      const last = lastOfOldest.get(count)?.['id'] ?? 0
      const pruned = prune.run(last, nowS).changes
      let looked = 0
      for (const [key, exp] of seen) {
        if (looked++ === count) break
        if (exp > nowS) continue
        seen.delete(key)
        expired.set(key, [...(expired.get(key) ?? []), exp])
      }
      for (const oldest of expired.keys()) {
        if (expired.size <= stubLimits.expiredReplaysMax) break
        expired.delete(oldest)
      }
      return Number(pruned)
    },
    /** Forgets everything; the table is emptied by whoever asks. */
    clear(): void {
      seen.clear()
      expired.clear()
    },
  }
}

/** A kid is the stub's own and has no line break; the jti may hold anything. */
function keyOf(kid: string, jti: string): string {
  return `${kid}\n${jti}`
}
