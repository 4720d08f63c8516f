import { openStoreOf } from '../../../agent/postgres/open-shared-store.ts'
import type { StoreSession } from '../../../agent/postgres/session.ts'
import { newAgentState } from '../agent/model-outside.ts'
import type { ModelHost } from '../host.ts'
import { type StoreCluster, storeUrl } from '../sql/store-cluster.ts'
import { type AgentHost, assembleAgent, newAgentHost } from './agent-host.ts'
import type { SharedStore } from './agent-program.ts'
import { installBalancer } from './balancer.ts'
import type { GameWays } from './game/game-parts.ts'
import type { Surroundings } from './host-parts.ts'
import { LeasePromises } from './promises/lease-promises.ts'
import { SharedStorePromises } from './promises/shared-store-promises.ts'
import { StandbyPromises } from './promises/standby-promises.ts'
import { ToldDoubtPromises } from './promises/told-doubt-promises.ts'
import { WaitedForPromises } from './promises/waited-for-promises.ts'
import { drawWays, type GameServer, installGameOf, newGameServer, type Server } from './server.ts'
import { tellAll } from './tell-all.ts'
import type { Inhabitants } from './whole-world.ts'

const balancer = 'balancer:8081'
/** A report may arrive for its deadline of 30 s and 43 s more, and a dead agent has a lease of 15 s. */
const stillMs = 95_000

/** Where the platform sends the webhooks of an identity with several hosts. */
export const webhookUrlOfShared = `http://${balancer}/webhook`

/**
 * One identity on several hosts, with an agent on each and a store that they share. Either each host has a game server, or
 * the agent of the last one stands by for the first game server.
 */
export function assembleSharedIdentity(
  names: readonly string[],
  parts: Surroundings,
  far: ModelHost,
  store: StoreCluster,
): Inhabitants {
  const { network, judge } = parts
  const random = parts.random.part('shared identity')
  const [identity = ''] = names
  const hasSpare = random.happens(0.5) && names.length > 1
  const isStandby = random.happens(0.5)
  const spare = hasSpare ? names.at(-1) : undefined
  const promises = new SharedStorePromises(judge.break, store, parts.platform, parts.nowMs)
  network.finalAddresses.add(balancer)

  const gameServers = names
    .filter((name) => name !== spare)
    .map((name) => {
      const drawn = drawWays(name, parts)
      // An agent on another host has no files of this game server.
      const ways: GameWays =
        hasSpare && name === identity
          ? { ...drawn, callsBy: 'http', ordersBy: drawn.ordersBy === 'files' ? 'url' : drawn.ordersBy }
          : drawn
      return newGameServer(newAgentHost(name, parts), parts, { identity, ways })
    })
  const ownerOf = (transactionId: number) => {
    const itemRef = parts.platform.itemOf(transactionId)
    return gameServers.find(({ isOurs }) => isOurs(itemRef))
  }

  function installAgentFor(server: GameServer, host: ModelHost): AgentHost {
    const { name } = host
    const lease = new LeasePromises(judge.break, name, parts.nowMs)
    const toldDoubt = new ToldDoubtPromises(judge.break, store)
    const standby = new StandbyPromises(judge.break, store)
    const watch = (session: StoreSession) => standby.watch(toldDoubt.watch(lease.watch(session)))
    const waitedFor = new WaitedForPromises({
      ...{ break: judge.break, store, nowMs: parts.nowMs },
      startedMs: () => installed.agent.startedMs,
      callDeadlineMs: () => installed.agent.config?.callDeadlineMs ?? 0,
    })
    const installed: AgentHost = assembleAgent(
      {
        ...server,
        ...server.ways,
        host,
        state: newAgentState(host),
        isStandby: name === spare && isStandby,
        alsoWhileCalm: name === identity ? [promises] : [],
        store: sharedStoreOf(name, server.name, name === spare && isStandby, watch),
        witness: tellAll([
          {
            onHandedOver: server.orders.onHandedOver,
            // A webhook may reach the agent of another world.
            onAcknowledged: (event, transactionId) =>
              ownerOf(transactionId)?.orders.onAcknowledged(event, transactionId),
            onSent: (request) => answersOfAll().onSent(request),
          },
          promises.witnessOf(name),
          lease,
          toldDoubt,
          waitedFor,
          ...(host === server.host ? [server.replyOrder, server.files] : []),
        ]),
      },
      parts,
    )
    return installed
  }

  function sharedStoreOf(
    agentName: string,
    world: string,
    stands: boolean,
    watch: (session: StoreSession) => StoreSession,
  ): SharedStore {
    const shared = { agentName, world, urlText: storeUrl, isStandby: stands }
    return {
      ...shared,
      open: (process, given) => (options) =>
        openStoreOf(
          {
            ...shared,
            ...given,
            bootId: '',
            connect: async (url, onEnd) => watch(await store.network.connect(process, agentName, url, onEnd)),
          },
          options,
        ),
    }
  }

  const clock = {
    get lastSetMs() {
      const setMs = [...servers, ...spares].flatMap(({ host }) => host.clock.lastSetMs ?? [])
      return setMs.length === 0 ? undefined : Math.max(...setMs)
    },
  }
  // Any agent of the identity may send a call again that another one left.
  const answersOfAll = () => tellAll(servers.map(({ answers }) => answers))
  const servers = gameServers.map((server): Server => {
    const agent = installAgentFor(server, server.host)
    const answerers = server.name === identity && spare !== undefined ? [server.name, spare] : [server.name]
    const callAddresses = answerers.map((name) => `${name}:8899`)
    // Nothing sets the clock of the store.
    const game = installGameOf(server, parts, {
      ...{ callAddresses, isWindowKept: () => true, isAgeKnown: () => true },
      mayBeStoredUnseen: (id) =>
        store.network.unanswered
          .values()
          .some(({ sql, values }) => sql.includes('market_agent.finish(') && values?.[1] === id),
      ownAgent: undefined,
      platformKey: undefined,
      clock,
    })
    agent.installOperator()
    return { ...server, ...agent, ...game, openOrders: () => promises.findOpenOrders(server.name) }
  })
  const [first] = gameServers
  const spares = spare !== undefined && first ? [installAgentFor(first, newAgentHost(spare, parts))] : []
  for (const { installOperator } of spares) installOperator()
  installBalancer(
    far,
    network,
    balancer,
    names.map((name) => `${name}:8081`),
  )
  return { servers, agents: [...servers, ...spares], store, leftInStore: () => promises.findLeft(), stillMs }
}
