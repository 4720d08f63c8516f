import type { AgentHost } from '../agent-host.ts'
import { hasUnitsSetAside, isForSale, left } from '../game/game-state.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Server } from '../server.ts'
import type { Break } from './judge.ts'
import type { LateStocks } from './late-stocks.ts'

interface StockParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly servers: readonly Server[]
  /** All that may send the stock of an item again. */
  readonly agents: readonly AgentHost[]
  readonly lateStocks: LateStocks
  /** How long an older stock may stay over a newer one: longer than the envelope of any attempt is valid. */
  readonly stillMs: number
  readonly nowMs: () => number
}

/** How late a stock that is due may be sent again. */
const sentAgainMsMax = 5_000

/** What a game server says about the stock of an item, and since when. */
interface Said {
  readonly stock: string
  readonly sinceMs: number
  readonly changes: number
  /** It was said in the storm, perhaps in another order than its files were taken. Nothing newer was said since. */
  readonly isOfStorm: boolean
}

/** The platform ends with the stock that the game server said last (I6), whatever arrives late. */
export class StockPromises {
  readonly #parts: StockParts
  readonly #said = new Map<string, Said>()
  readonly #gameSinceMs = new Map<Server, number>()

  constructor(parts: StockParts) {
    this.#parts = parts
  }

  /**
   * Looks at each item about which nothing new was said for a while. By then the agent has made good everything that arrived late.
   *
   * @param healthySinceMs Since when every request arrives soon.
   */
  look(healthySinceMs: number): void {
    const { agents, servers, stillMs, nowMs } = this.#parts
    const steadySinceMs = Math.max(healthySinceMs, ...agents.map(({ agent }) => agent.startedMs))
    for (const server of servers) {
      const gameSinceMs = this.gameSince(server)
      if (gameSinceMs === undefined) continue
      for (const [itemRef, item] of Object.entries(server.saved().items)) {
        const stock = `${item.changes} ${item.isToReport}`
        const known = this.#said.get(itemRef)
        const { changes } = item
        const mayBeOfStorm = known === undefined && !item.isToReport && mayBeInWrongOrder(server)
        const isOfStorm = known?.changes === changes ? known.isOfStorm : mayBeOfStorm
        const said = known?.stock === stock ? known : { stock, sinceMs: nowMs(), changes, isOfStorm }
        this.#said.set(itemRef, said)
        // The agent does not know a reply that was lost.
        if (hasUnitsSetAside(server.saved(), itemRef)) continue
        if (nowMs() < Math.max(said.sinceMs, steadySinceMs, gameSinceMs) + stillMs) continue
        const wrong = this.wrongStockOf(server, itemRef)
        if (wrong) this.#parts.break('an older stock does not stay over a newer one', wrong)
        this.#checkRepair(server, itemRef)
      }
    }
  }

  /** Since when a game server runs; undefined while it does not. */
  gameSince(server: Server): number | undefined {
    if (server.game.process?.state === 'running')
      this.#gameSinceMs.set(server, this.#gameSinceMs.get(server) ?? this.#parts.nowMs())
    else this.#gameSinceMs.delete(server)
    return this.#gameSinceMs.get(server)
  }

  #checkRepair(server: Server, itemRef: string): void {
    const { lateStocks, nowMs, stillMs } = this.#parts
    if (!this.#isOnSale(server, itemRef)) return
    const newest = this.#newestOf(server, itemRef)
    if (newest === undefined) return
    const late = lateStocks.findUnrepaired(itemRef, newest, {
      lateBeforeMs: nowMs() - stillMs / 2,
      // An attempt without an answer is followed by another one within this time.
      answeredBeforeMs: nowMs() - stillMs - sentAgainMsMax,
    })
    if (late)
      this.#parts.break('the newest stock is sent again when nothing older can arrive any more', `${itemRef}: ${late}`)
  }

  /** An item of which the platform has another stock than the game server; undefined if there is none. */
  findWrong(server: Server): string | undefined {
    for (const itemRef of Object.keys(server.saved().items)) {
      const wrong = this.wrongStockOf(server, itemRef)
      if (wrong) return wrong
    }
    return undefined
  }

  wrongStockOf(server: Server, itemRef: string): string | undefined {
    if (!this.#isOnSale(server, itemRef)) return undefined
    const newest = this.#newestOf(server, itemRef)
    if (newest === undefined) return undefined
    const observedQuantity = this.#listingOf(server, itemRef)?.observedQuantity
    const isRight = !server.saved().items[itemRef]?.isToReport && observedQuantity === newest
    return isRight ? undefined : `${server.name} ${itemRef}: ${observedQuantity} in place of ${newest}`
  }

  /**
   * What the game server says until it is accepted, what was accepted before it gave up, or what crossed its reply to an order;
   * undefined: nobody knows.
   */
  #newestOf(server: Server, itemRef: string): number | undefined {
    const { lateStocks, agents } = this.#parts
    const state = server.saved()
    const { isGivenUp, saidInReplyTo, isToReport } = state.items[itemRef] ?? {}
    if (this.#said.get(itemRef)?.isOfStorm) return undefined
    const quantity = left(state, itemRef)
    if (saidInReplyTo !== undefined && !isToReport) {
      const startedMs = Math.max(...agents.map(({ agent }) => agent.startedMs))
      return lateStocks.newestAfterAnswer({ itemRef, transactionId: saidInReplyTo, quantity }, startedMs)
    }
    return isGivenUp ? lateStocks.newestAccepted(itemRef) : quantity
  }

  /** Not if the game server never heard that it is registered, or heard that it is withdrawn. */
  #isOnSale(server: Server, itemRef: string): boolean {
    const item = server.saved().items[itemRef]
    return isForSale(item) && this.#listingOf(server, itemRef)?.status === 'ACTIVE'
  }

  #listingOf({ gameServerId }: Server, itemRef: string) {
    return this.#parts.platform.composed.platform.tables.listings.byItemRef(gameServerId() ?? 0, itemRef)
  }
}

/** A clock that is set in the storm changes the order of files. After a restart a game server knows only its last one. */
function mayBeInWrongOrder({ callsBy, host }: Server): boolean {
  return callsBy === 'files' && host.clock.lastSetMs !== undefined
}
