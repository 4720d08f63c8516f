import { type HostTargets, hostFaults } from '../faults/host-faults.ts'
import { type NetworkTargets, networkFaults } from '../faults/network-faults.ts'
import { ModelHost } from '../host.ts'
import { watchTables } from '../large-tables.ts'
import { Network } from '../network/network.ts'
import type { Simulation, World, WorldParts } from '../simulation.ts'
import { endStoreEngine, StoreCluster, storeEngine } from '../sql/store-cluster.ts'
import { type StoreTargets, storeFaults } from '../sql/store-faults.ts'
import type { AgentHost } from './agent-host.ts'
import type { Day } from './day.ts'
import { Evening } from './evening.ts'
import type { Surroundings } from './host-parts.ts'
import { installPlatform, type Registration } from './model-platform.ts'
import { drawMoves, installPeople } from './people.ts'
import { acceptedStockPromises } from './promises/accepted-stock-promises.ts'
import { Judge } from './promises/judge.ts'
import { LateStocks } from './promises/late-stocks.ts'
import { MarketPromises } from './promises/market-promises.ts'
import { platformAnswerPromises } from './promises/platform-answer-promises.ts'
import { PurchasePromises } from './promises/purchase-promises.ts'
import { QuietPromises, type Unfinished } from './promises/quiet-promises.ts'
import { replayPromises } from './promises/replay-promises.ts'
import { ReplyStockPromises } from './promises/reply-stock-promises.ts'
import { RecentWebhooks } from './recent-webhooks.ts'
import { assembleServer, type Server } from './server.ts'
import { assembleSharedIdentity, webhookUrlOfShared } from './shared-identity.ts'
import { newWaves } from './waves/waves.ts'
import { type WorldTargets, worldFaults } from './world-faults.ts'

/** What the faults of a whole world strike. */
export type Targets = HostTargets & NetworkTargets & WorldTargets & StoreTargets

/** What is asked of a world besides its seed, which decides everything that is left out. */
export interface WorldOptions {
  /** Game servers, each with an agent and an identity of its own. */
  readonly agents?: number
  /** Hosts with an agent each, which share a store and have one identity. */
  readonly hosts?: number
}

const stormMs = 3 * 60_000
/** How often it is asked whether everything has ended: virtual ms. */
const lookMs = 2_000
/**
 * Waves and nights may take more than an hour. A wrong `Retry-After` keeps a result back for another hour, and the order may be
 * put off after it.
 */
const quietMsMax = 4 * 60 * 60_000
/** A world with a shared store takes as long as ten others, although it has fewer waves. */
const sharedRate = 1 / 24
const sharedHosts = 3
/** How many follow the storm. */
const wavesOf = { 'own-identities': 6, 'shared-identity': 3 } as const

/** The whole world: agents, platform, game servers, people, and everything between them. */
export function wholeWorld(options: WorldOptions = {}): Simulation<Targets> {
  return {
    table: [...hostFaults, ...networkFaults, ...worldFaults, ...storeFaults],
    stormMs,
    quietMsMax,
    assemble: (parts) => assemble(parts, drawLayout(parts, options)),
    end: endStoreEngine,
  }
}

/** How many game servers there are, and what they share. */
type Layout =
  | { readonly kind: 'own-identities'; readonly names: readonly string[] }
  | { readonly kind: 'shared-identity'; readonly names: readonly string[] }

function drawLayout({ random }: WorldParts, { agents, hosts }: WorldOptions): Layout {
  const named = (count: number) => Array.from({ length: count }, (_, n) => `server-${n + 1}`)
  if (hosts !== undefined) return { kind: 'shared-identity', names: named(hosts) }
  if (agents === undefined && random.part('layout').happens(sharedRate))
    return { kind: 'shared-identity', names: named(sharedHosts) }
  return { kind: 'own-identities', names: named(agents ?? random.part('agents').pick([1, 1, 2])) }
}

/** The game servers of a world, and everything that belongs to them. */
export interface Inhabitants {
  readonly servers: readonly Server[]
  /** Also those that stand by for another one. */
  readonly agents: readonly AgentHost[]
  readonly store: StoreCluster | undefined
  readonly leftInStore: () => Unfinished | undefined
  /** How long it takes at most until what arrived late is made good. */
  readonly stillMs: number
}

/** Longer than a call, and what follows from it. */
const tablesEmptyAfterMs = 50_000
/** An attempt may arrive for 43 s. A stock that is sent again then may be refused for its time. Then it is signed again 10 s later. */
const ownStillMs = 55_000

async function assemble(
  { scheduler, random, noteStrike }: WorldParts,
  { kind, names }: Layout,
): Promise<World<Targets>> {
  const judge = new Judge()
  const network = new Network(random)
  const day: Day = { phase: 'open', stormEndedMs: Number.POSITIVE_INFINITY }
  const nowMs = () => scheduler.nowMs
  const registrations = new Map<string, Registration>()
  const far = new ModelHost('far', scheduler, random)
  const [identity = ''] = names
  const noteJti = replayPromises(judge.break, () => platform.composed.clock.nowMs())
  const replyStocks = new ReplyStockPromises(judge.break, () => platform)
  const checkStock = acceptedStockPromises(judge.break, () => platform, replyStocks.onReported)
  const checkAnswer = platformAnswerPromises(judge.break, () => platform)
  const purchases = new PurchasePromises(judge.break, () => platform)
  const platform = installPlatform({
    host: far,
    network,
    takesNoDetail: random.part('detail').happens(0.3),
    saysLittle: random.part('little').happens(0.5),
    webhookUrls:
      kind === 'shared-identity'
        ? new Map([[identity, webhookUrlOfShared]])
        : new Map(names.map((name) => [name, `http://${name}:8081/webhook`])),
    onRegistered(registered) {
      for (const [name, registration] of registered) registrations.set(name, registration)
      for (const { host } of agents) for (const program of host.programs) program.start()
    },
    onAccepted(request, answer) {
      noteJti(request)
      checkStock(request)
      purchases.onAccepted(request)
      checkAnswer(request, answer)
    },
    onPosting: replyStocks.onPosting,
    onBug: (line) => judge.break('the platform has no bug', line),
  })
  const lateStocks = new LateStocks(() => platform, day, nowMs)
  const webhooks = new RecentWebhooks()
  const parts: Surroundings = {
    ...{ scheduler, random, network, day, nowMs, platform, judge, registrations, lateStocks, webhooks },
  }
  const { servers, agents, store, leftInStore, stillMs } =
    kind === 'shared-identity'
      ? assembleSharedIdentity(names, parts, far, new StoreCluster(await storeEngine(), scheduler, random))
      : ownIdentities(names, parts)
  installPeople({
    ...{ host: far, moves: drawMoves(random.part('people')), platform, shops: servers, day, nowMs },
    onPaying: purchases.onPaying,
  })
  store?.start()
  for (const program of far.programs) program.start()

  const evening = new Evening({
    ...{ day, network, random: random.part('evening'), waves: wavesOf[kind], stillMs, nowMs },
    onWave: newWaves({
      scheduler,
      random: random.part('waves'),
      noteStrike,
      network,
      platform,
      agents,
      servers,
      store,
      hush: () => evening.hush(),
    }),
    onClosed() {
      for (const agent of agents) agent.restart()
    },
  })
  const quiet = new QuietPromises({
    ...{ judge, platform, servers, agents, leftInStore, day, evening, lateStocks, stillMs, nowMs },
  })
  const market = new MarketPromises({ break: judge.break, platform })
  const tables = watchTables(scheduler)
  const checkTables = () => {
    if (nowMs() < evening.healthySinceMs + tablesEmptyAfterMs) return
    for (const { agent } of agents) {
      const large = agent.program.process && tables.findLarge(agent.program.process)
      if (large !== undefined) judge.break('what an agent remembers while it has nothing to do has a bound', large)
    }
  }
  let nextLookMs = 0
  return {
    targets: {
      hosts: agents.map(({ host }) => host),
      network,
      platform,
      agents: agents.map(({ agent }) => agent),
      games: servers.map(({ game }) => game),
      quirks: servers.map(({ quirks }) => quirks),
      store,
    },
    checkSafety() {
      replyStocks.check()
      judge.assertKept()
    },
    heal() {
      store?.start()
      for (const program of [far, ...agents.map(({ host }) => host)].flatMap(({ programs }) => programs)) {
        program.process?.resume()
        program.start()
      }
      evening.begin()
    },
    isQuiet() {
      if (nowMs() < nextLookMs) return false
      nextLookMs = nowMs() + lookMs
      const isFinished = quiet.look() === undefined
      evening.continue(isFinished)
      if (isFinished) checkTables()
      return evening.isOver
    },
    checkLiveness() {
      quiet.check()
      market.check()
      for (const agent of agents) agent.checkAtEnd()
      for (const { orders, answers } of servers) {
        orders.checkLedgers()
        answers.check()
      }
      judge.assertKept()
    },
    end() {
      tables[Symbol.dispose]()
      platform.end()
      for (const agent of agents) agent.end()
    },
  }
}

function ownIdentities(names: readonly string[], parts: Surroundings): Inhabitants {
  const servers = names.map((name) => assembleServer(name, parts))
  return { servers, agents: servers, store: undefined, leftInStore: () => undefined, stillMs: ownStillMs }
}
