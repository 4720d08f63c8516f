import type { AgentConfig } from '../config/config.ts'
import { StoreUnusableError } from '../database/store-errors.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import { countOpenOrders } from '../orders/sqlite-order-ledger.ts'
import { trustedCas } from '../platform/trusted-cas.ts'
import type { SharedStoreParts } from '../postgres/open-shared-store.ts'
import { realOutside } from '../real-outside.ts'
import type { OpenStore } from '../store.ts'
import { bootIdOf } from './boot-id.ts'

/** An agent renews its lease every 3 s, and begins nothing 10 s after the last time. */
const timeoutMs = 3_000

/** What an opener of a shared store needs besides the configuration. */
export interface StoreOpenerParts {
  readonly isStandby: boolean
  readonly log: Log
  /** As `SharedStoreParts` has it. */
  readonly onLeaseLost: (error: Error) => void
}

/** The opener of the store that the configuration names. The client of PostgreSQL is loaded only for a shared one. */
export async function storeOpener(config: AgentConfig, parts: StoreOpenerParts): Promise<OpenStore> {
  const { storeUrl, extraCa, agentName } = config
  if (storeUrl === undefined) return realOutside.openStore
  const { openStoreOf } = await import('../postgres/open-shared-store.ts')
  const { connectToStore } = await import('../postgres/connect.ts')
  const bootId = bootIdOf()
  const connecting = { ca: trustedCas(extraCa), timeoutMs, applicationName: `market-agent ${agentName}` }
  const connect: SharedStoreParts['connect'] = (at, onEnd) => connectToStore(at, connecting, onEnd)
  return (options) => {
    refuseStrandedOrders(options.stateDir)
    return openStoreOf({ ...config, ...parts, urlText: storeUrl, connect, files: realOutside.files, bootId }, options)
  }
}

/** Orders that an agent kept before it shared a store would wait for ever. */
function refuseStrandedOrders(stateDir: string): void {
  const count = countOpenOrders(stateDir)
  if (count === 0) return
  throw new StoreUnusableError(`${stateDir} has ${count} open orders that are not in the store: ${cures.moveToStore()}`)
}
