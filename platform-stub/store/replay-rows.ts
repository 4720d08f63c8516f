import type { DatabaseSync } from 'node:sqlite'
import { limits } from '../../contract/limits.ts'
import { statementsOf } from './statements.ts'

/** The newest envelopes are known even after their exp, in case the clock is set back. */
export const replaysKeptMin = 10_000
/** This many are forgotten at a time. */
const replaysForgottenMax = 100_000

/**
 * The envelopes that were opened, by (kid, jti). A jti is free again when the exp of its last envelope has passed; the
 * row then keeps the later exp, so that no earlier envelope fits again, whatever the clock says.
 *
 * Many rows are kept after their exp: a clock that is set back must not let an envelope in again.
 */
export function replayTable(database: DatabaseSync) {
  const { change, count, run } = statementsOf(database)
  const record = change<[kid: string, jti: string, exp: number, nowS: number]>(`
    insert into replays (kid, jti, exp) values (?, ?, ?)
    on conflict (kid, jti) do update set exp = excluded.exp where replays.exp <= ?
  `)
  // Asked for each by itself, SQLite finds both at the ends of the index; together, it would read every row.
  const span = count('select coalesce((select max(id) from replays) - (select min(id) from replays), 0)')
  const forget = run<[bounds: { kept: number; count: number; nowS: number; latestS: number }]>(`
    delete from replays where id in (
      select id from replays where id <= (select max(id) from replays) - :kept and (exp <= :nowS or exp > :latestS)
      limit :count)
  `)
  return {
    /** Remembers an envelope. False where it was seen before. `exp` and `nowS` are Unix seconds. */
    record: (kid: string, jti: string, exp: number, nowS: number): boolean => record(kid, jti, exp, nowS) === 1,
    /** Whether there are more rows than are kept in any case. */
    isLong: (): boolean => span() > replaysKeptMin,
    /**
     * Forgets envelopes that are refused for their exp now: it has passed, or is later than any that is accepted since
     * the clock came back. A bounded number of them, and never the newest ones.
     */
    forgetExpired(nowS: number): void {
      forget({ kept: replaysKeptMin, count: replaysForgottenMax, nowS, latestS: nowS + limits.envelopeExpAheadSMax })
    },
  }
}
