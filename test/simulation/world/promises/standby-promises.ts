import type { StoreSession } from '../../../../agent/postgres/session.ts'
import type { StoreCluster } from '../../sql/store-cluster.ts'
import type { Break } from './judge.ts'
import { watchedSession } from './watched-session.ts'

/** Another agent of the world whose lease ran on when a life began. It was not renewed since. */
const others = `SELECT other.name FROM market_agent.agent AS other, market_agent.agent AS own
  WHERE own.epoch = $1 AND other.world = own.world AND other.epoch < own.epoch
    AND other.lease_ends_ms > own.lease_ends_ms - 14900 AND other.lease_ends_ms < own.lease_ends_ms
    AND NOT own.is_granted AND NOT other.is_granted`

/** An agent that stands by begins only when no agent of its world lives. */
export class StandbyPromises {
  readonly #break: Break
  readonly #store: StoreCluster

  constructor(onBroken: Break, store: StoreCluster) {
    this.#break = onBroken
    this.#store = store
  }

  /** The same session of an agent, watched. */
  watch(session: StoreSession): StoreSession {
    return watchedSession(session, async ({ sql, values }, ask) => {
      const result = await ask()
      const epoch = result.rows[0]?.['epoch']
      const isStandby = sql.includes('market_agent.begin_epoch(') && values?.[4] === true
      const [other] = (isStandby && typeof epoch === 'string' && this.#store.look(others, [epoch])) || []
      if (other) this.#break('a standby begins when no agent of its world lives', String(other['name']))
      return result
    })
  }
}
