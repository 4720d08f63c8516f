import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { isStoreFailure } from '../database/store-errors.ts'
import type { Database } from './database.ts'

/** What the look for lonely worlds works with. */
export interface LonelyWorldsOptions {
  readonly database: Database
  readonly clock: Clock
  /** Called once for each world, until it has an agent again. */
  readonly onLonely: (world: string, openOrders: number) => void
  /** Called with an error that is a bug of the agent. */
  readonly onError: (error: Error) => void
}

/** An agent that is only started again is not missing for so long. */
const lookMs = 10_000
const lonely = `
  SELECT world, count(*)::int AS open_orders FROM market_agent.orders AS waiting
    WHERE phase NOT IN ('ended', 'closed') AND NOT EXISTS (SELECT FROM market_agent.agent WHERE world = waiting.world)
    GROUP BY world`

/**
 * Looks for worlds that have open orders and no agent, in two looks one after another: their orders wait for one.
 *
 * @returns Stops it.
 */
export function watchLonelyWorlds({ database, clock, onLonely, onError }: LonelyWorldsOptions): () => void {
  let before: ReadonlyMap<string, 'seen' | 'told'> = new Map()
  const look = async () => {
    const now = new Map<string, 'seen' | 'told'>()
    for (const row of await database.query(lonely)) {
      const world = String(row['world'])
      if (before.get(world) === 'seen') onLonely(world, Number(row['open_orders']))
      now.set(world, before.has(world) ? 'told' : 'seen')
    }
    before = now
  }
  const lookOrWait = () =>
    look().catch((error: Error) => {
      if (!isStoreFailure(error)) onError(error)
    })
  return repeat(clock, lookMs, lookOrWait)
}
