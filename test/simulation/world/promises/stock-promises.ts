import type { AgentHost } from '../agent-host.ts'
import { left } from '../game/game-state.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Server } from '../server.ts'
import type { Break } from './judge.ts'

interface StockParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly servers: readonly Server[]
  /** All that may send the stock of an item again. */
  readonly agents: readonly AgentHost[]
  /** How long an older stock may stay over a newer one: longer than the envelope of any attempt is valid. */
  readonly stillMs: number
  readonly nowMs: () => number
}

/** What a game server says about the stock of an item, and since when. */
interface Said {
  readonly stock: string
  readonly sinceMs: number
}

/** The platform ends with the stock that the game server said last (I6), whatever arrives late. */
export class StockPromises {
  readonly #parts: StockParts
  readonly #said = new Map<string, Said>()

  constructor(parts: StockParts) {
    this.#parts = parts
  }

  /**
   * Looks at each item about which nothing new was said for a while. What arrived late must be made good by then.
   *
   * @param healthySinceMs Since when every request arrives soon.
   */
  look(healthySinceMs: number): void {
    const { agents, servers, stillMs, nowMs } = this.#parts
    const steadySinceMs = Math.max(healthySinceMs, ...agents.map(({ agent }) => agent.startedMs))
    for (const server of servers)
      for (const [itemRef, item] of Object.entries(server.saved().items)) {
        const stock = `${item.changes} ${item.isToReport}`
        const known = this.#said.get(itemRef)
        const said = known?.stock === stock ? known : { stock, sinceMs: nowMs() }
        this.#said.set(itemRef, said)
        if (nowMs() < Math.max(said.sinceMs, steadySinceMs) + stillMs) continue
        const wrong = this.wrongStockOf(server, itemRef)
        if (wrong) this.#parts.break('an older stock does not stay over a newer one', wrong)
      }
  }

  /** An item whose stock the platform has otherwise than the game server; undefined where there is none. */
  findWrong(server: Server): string | undefined {
    for (const itemRef of Object.keys(server.saved().items)) {
      const wrong = this.wrongStockOf(server, itemRef)
      if (wrong) return wrong
    }
    return undefined
  }

  wrongStockOf({ name, gameServerId, saved }: Server, itemRef: string): string | undefined {
    const state = saved()
    const item = state.items[itemRef]
    // The game server never heard that it is registered, or heard that it is withdrawn.
    if (!item?.isRegistered || item.isWithdrawn) return undefined
    const { listings } = this.#parts.platform.composed.platform.tables
    const listing = listings.byItemRef(gameServerId() ?? 0, itemRef)
    if (listing?.status !== 'ACTIVE') return undefined
    const isRight = !item.isToReport && listing.observedQuantity === left(state, itemRef)
    return isRight ? undefined : `${name} ${itemRef}: ${listing.observedQuantity} in place of ${left(state, itemRef)}`
  }
}
