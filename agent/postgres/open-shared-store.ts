import type { AgentConfig } from '../config/config.ts'
import { storeUrlOf } from '../config/store-url.ts'
import { isStoreFailure } from '../database/store-errors.ts'
import type { Files } from '../durable-files/files.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import { StoreLog } from '../log/store-log.ts'
import type { SharedStoreStatus, Store, StoreOptions } from '../store.ts'
import { Database, type DatabaseOptions } from './database.ts'
import { watchLonelyWorlds } from './lonely-worlds.ts'
import { prepareSchema } from './prepare-schema.ts'
import { openSharedStore } from './shared-store.ts'
import { stateIdOf } from './state-id.ts'

/** What the opener of a shared store works with. */
export interface SharedStoreParts extends Pick<AgentConfig, 'agentName' | 'world'> {
  /** As `readStoreUrl` takes it. */
  readonly urlText: string
  readonly connect: DatabaseOptions['connect']
  /** Whether the agent begins only when no other one serves its world. */
  readonly isStandby: boolean
  readonly files: Files
  /** Of the running system: a copy of this host has the same state directory, and its agent is another one. */
  readonly bootId: string
  readonly log: Log
  /** Called when another agent took over from this one, which must end. */
  readonly onLeaseLost: (error: Error) => void
}

/**
 * Opens the store for one agent of several.
 *
 * @throws As `OpenStore`.
 */
export async function openStoreOf(parts: SharedStoreParts, options: StoreOptions): Promise<Store> {
  const { agentName: name, world, urlText, connect, isStandby, files, bootId, log, onLeaseLost } = parts
  const { clock, stateDir } = options
  const storeLog = new StoreLog(log)
  const stateDirId = stateIdOf(files, stateDir)
  const database = await Database.open({
    url: storeUrlOf(urlText),
    connect,
    clock,
    prepare: prepareSchema,
    onLeaseLost,
    onChange: (problem) => storeLog.onContact(problem),
  })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => database.close())
  const shared = await openSharedStore({
    ...options,
    database,
    name,
    world,
    isStandby,
    stateDirId,
    stateId: `${stateDirId} ${bootId}`,
    onTakeOver: (other) => storeLog.onTakeOver(other),
  })
  opened.defer(() => shared.journal.close())
  const { journal, turns, listings, lease } = shared
  const onUnregistered = ({ transactionId, itemRef }: { transactionId: number; itemRef: string }) => {
    if (world === '') return
    const cure = cures.registerByAgent()
    log.warn(
      { transactionId, itemRef, world, cure },
      'no agent registered the item of an order; this one hands it over',
    )
  }
  opened.defer(
    watchLonelyWorlds({
      ...options,
      database,
      onLonely: (...found) => storeLog.onLonely(...found),
      onError: options.onFatal,
    }),
  )
  const running = opened.move()
  return {
    journal,
    turns,
    listings,
    openLedger: async ({ onFull }) => shared.openLedger({ onFull, onUnregistered }),
    countOpenOrders: () => shared.countOpenOrders(),
    noteStock: (itemRef, quantity) => shared.noteStock(itemRef, quantity),
    mayBegin: () => lease.mayBegin(),
    get reasons() {
      return storeLog.reasonsBy(database.problem, lease.mayBegin())
    },
    async readStatus() {
      const agents = database.problem ? null : await findAlive(database)
      return { up: agents !== null, leaseS: lease.restMs / 1_000, agent: name, world, agents }
    },
    // A store that is away comes back by itself.
    checkAlive: async () => undefined,
    close: () => running.disposeAsync(),
  }
}

/** The agents that are alive; null if the store does not say it now. */
async function findAlive(database: Database): Promise<SharedStoreStatus['agents']> {
  try {
    const rows = await database.query(
      'SELECT name, world FROM market_agent.agent WHERE lease_ends_ms > market_agent.now_ms() ORDER BY name',
    )
    return rows.map((row) => ({ name: String(row['name']), world: String(row['world']) }))
  } catch (error) {
    if (isStoreFailure(error)) return null
    throw error
  }
}
