import type { DatabaseSync } from 'node:sqlite'
import { limits } from '../../contract/limits.ts'
import { stubLimits } from './stub-limits.ts'

/**
 * The envelopes that were opened, by (kid, jti). A jti is free again when the exp of its last envelope has passed; the
 * row then keeps the later exp, so that no earlier envelope fits again, whatever the clock says.
 *
 * Many rows are kept after their exp: a clock that is set back must not let an envelope in again.
 */
export function replayTable(database: DatabaseSync) {
  const record = database.prepare(`
    insert into replays (kid, jti, exp) values (?, ?, ?)
    on conflict (kid, jti) do update set exp = excluded.exp where replays.exp <= ?
  `)
  const span = database.prepare('select max(id) - min(id) as count from replays')
  const forget = database.prepare(`
    delete from replays where id in (
      select id from replays where id <= (select max(id) from replays) - :kept and (exp <= :nowS or exp > :latestS)
      limit :count)
  `)
  return {
    /** Remembers an envelope. False where it was seen before. `exp` and `nowS` are Unix seconds. */
    record: (kid: string, jti: string, exp: number, nowS: number): boolean =>
      record.run(kid, jti, exp, nowS).changes === 1,
    /** Whether there are more rows than are kept in any case. */
    isLong: (): boolean => Number(span.get()?.['count']) > stubLimits.replaysKeptMin,
    /**
     * Forgets envelopes that are refused for their exp now: it has passed, or lies beyond what is taken since the clock
     * came back. A bounded number of them, and never the newest ones.
     */
    forgetExpired(nowS: number): void {
      const { replaysKeptMin: kept, replaysForgottenMax: count } = stubLimits
      forget.run({ kept, nowS, latestS: nowS + limits.envelopeExpAheadSMax, count })
    },
  }
}
