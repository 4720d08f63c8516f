import { isOver } from '../../../agent/orders/order-moves.ts'
import type { Status } from '../../../agent/status/status.ts'
import { type AgentState, openOrdersIn, orderIn, ordersIn } from '../agent/model-outside.ts'
import { ModelHost } from '../host.ts'
import type { NetworkAnswer } from '../network/message.ts'
import type { Network } from '../network/network.ts'
import type { WorldParts } from '../simulation.ts'
import { type HostAddresses, installAgent, type ModelAgent, type SharedStore } from './agent-program.ts'
import { type Day, slowPhases } from './day.ts'
import type { GameWays } from './game/game-parts.ts'
import { gameDir } from './game/game-store.ts'
import type { OrderDoor } from './game/take-orders.ts'
import type { ModelPlatform, Registration } from './model-platform.ts'
import { installOperator } from './operator.ts'
import { ClaimOrderPromises } from './promises/claim-order-promises.ts'
import { ClaimPromises } from './promises/claim-promises.ts'
import { ClaimedBeforePromises } from './promises/claimed-before-promises.ts'
import { ClockPromises } from './promises/clock-promises.ts'
import { ComeBackPromises } from './promises/come-back-promises.ts'
import { ContactPromises } from './promises/contact-promises.ts'
import { CredentialPromises } from './promises/credential-promises.ts'
import { EventPromises } from './promises/event-promises.ts'
import { HeartbeatPromises } from './promises/heartbeat-promises.ts'
import { IgnoredPromises } from './promises/ignored-promises.ts'
import type { Judge } from './promises/judge.ts'
import { KeyPromises } from './promises/key-promises.ts'
import type { LateStocks } from './promises/late-stocks.ts'
import { OfferedAgainPromises } from './promises/offered-again-promises.ts'
import { OrderListPromises } from './promises/order-list-promises.ts'
import { PacePromises } from './promises/pace-promises.ts'
import { isTimeKnown } from './promises/platform-time.ts'
import { ProofPromises } from './promises/proof-promises.ts'
import { RepairPromises } from './promises/repair-promises.ts'
import { ReportPromises } from './promises/report-promises.ts'
import { RoomPromises } from './promises/room-promises.ts'
import { SentAgainPromises } from './promises/sent-again-promises.ts'
import { StatusPromises } from './promises/status-promises.ts'
import { StopPromises } from './promises/stop-promises.ts'
import { WebhookPromises } from './promises/webhook-promises.ts'
import { WirePromises } from './promises/wire-promises.ts'
import type { RecentWebhooks } from './recent-webhooks.ts'
import { findChangedStrange, leaveStrangeFiles } from './strange-files.ts'
import { tellAll } from './tell-all.ts'
import type { AgentWitness } from './witnessed.ts'

/** What the hosts of a world have in common. */
export interface Surroundings extends WorldParts {
  readonly network: Network
  readonly nowMs: () => number
  readonly platform: ModelPlatform
  readonly judge: Judge
  readonly day: Day
  readonly lateStocks: LateStocks
  readonly webhooks: RecentWebhooks
  /** By the name of the identity. */
  readonly registrations: Map<string, Registration>
}

interface AgentHostParts extends GameWays {
  readonly host: ModelHost
  /** Which identity of the platform it has. */
  readonly identity: string
  readonly orderDoor: OrderDoor
  readonly callToken: string | undefined
  readonly state: AgentState
  readonly store?: SharedStore
  /** Whether it begins only when no other agent has its world. */
  readonly isStandby?: boolean
  readonly witness: Partial<AgentWitness>
  /** What else is promised while nothing is broken. */
  readonly alsoWhileCalm?: readonly CalmPromises[]
}

/** Promises about how long something lasts, while nothing is broken. */
interface CalmPromises {
  check(): void
  /** Something is broken: all that lasts begins again. */
  reset(): void
}

/** An agent on its host, and what the operator saw of it last. */
export interface AgentHost {
  readonly host: ModelHost
  readonly agent: ModelAgent
  readonly addresses: HostAddresses
  readonly callsBy: GameWays['callsBy']
  readonly ordersBy: GameWays['ordersBy']
  /** Others that share its store hand over what it wrote. */
  readonly hasOwnStore: boolean
  readonly isStandby: boolean
  readonly seen: { readonly status: Status | undefined; readonly atMs: number }
  /** After the programs that it looks at. */
  readonly installOperator: () => void
  /** What must have happened by now, while nothing is broken. */
  readonly check: () => void
  /** Everything slept: what must happen in time has time again. */
  readonly onSlept: () => void
  /** What must be true when everything has ended. */
  readonly checkAtEnd: () => void
  /** Stops the agent cleanly, and starts it again. Its disk must be healthy. */
  readonly restart: () => void
  /** After the world. */
  readonly end: () => void
}

/** The clocks of many hosts are a little wrong. An agent corrects what is more than 2 s. */
const clockErrorMsMax = 1_500

/** A host with the directories of an agent and of a game server. */
export function newAgentHost(name: string, { scheduler, random, network }: Surroundings): ModelHost {
  const clockRandom = random.part(`${name} clock`)
  const clockWrongByMs = clockRandom.happens(0.5) ? clockRandom.between(-clockErrorMsMax, clockErrorMsMax) : 0
  const host = new ModelHost(name, scheduler, random, clockWrongByMs)
  const spool = ['outbox', 'inbox', 'events', 'replies'].map((dir) => `/var/spool/${dir}`)
  const dirs = ['/var', '/var/spool', ...spool, '/var/state', gameDir]
  for (const dir of dirs) host.disk.mkdir(dir, 0o755)
  for (const dir of ['/', ...dirs]) host.disk.sync(host.disk.getDir(dir, 'open'))
  // The requests in an outbox, and the answers in an inbox, are gone with their directory.
  host.removableDirs.push('/var/spool/events', '/var/spool/replies')
  network.finalAddresses.add(`${name}:8081`)
  network.nearAddresses.add(`${name}:8899`)
  return host
}

const usualDeadlines = { attemptTimeoutMs: 10_000, callDeadlineMs: 30_000 }
/** A call ends while the platform is started again. */
const shortDeadlines = { attemptTimeoutMs: 4_000, callDeadlineMs: 9_000 }

/** Installs an agent and its operator. */
export function assembleAgent(parts: AgentHostParts, surroundings: Surroundings): AgentHost {
  const { host, identity, witness } = parts
  const { random, network, nowMs, platform, judge, day, registrations, lateStocks } = surroundings
  const { name } = host
  const addresses: HostAddresses = {
    call: { host: name, port: 8899 },
    webhook: { host: name, port: 8081 },
    orders: parts.orderDoor.address,
    spool: '/var/spool',
  }
  const hasStrangeFiles = random.part(`${name} strange files`).happens(0.5)
  if (hasStrangeFiles) leaveStrangeFiles(host.disk, addresses.spool)
  const registration = () => registrations.get(identity) as Registration
  const tokens = () => [parts.orderDoor.token, ...(parts.callToken === undefined ? [] : [parts.callToken])]
  const secrets = () => [...registrations.values().map(({ apiKey }) => apiKey), ...tokens()]
  const hasOwnStore = parts.store === undefined
  const deadlines = random.part(`${name} deadlines`).pick([usualDeadlines, shortDeadlines])
  const wire = new WirePromises({ break: judge.break, secrets, nowMs, ...deadlines })
  const credentials = new CredentialPromises({
    break: judge.break,
    config: () => agent.config,
    configReadMs: () => agent.configReadMs,
    nowMs,
    ...deadlines,
  })
  const startedMs = () => agent.startedMs
  const runningSinceMs = () => (agent.program.process ? agent.startedMs : undefined)
  const platformMs = () => platform.composed.clock.nowMs()
  const ownerOf = (id: number) => platform.composed.platform.tables.transactions.byId(id)?.gameServerId
  // Agents that share a store divide the orders of one game server.
  const isOurs = (id: number) => hasOwnStore && ownerOf(id) === registration().gameServerId
  const proofs = new ProofPromises({ break: judge.break, nowMs, isOurs })
  const webhooks = new WebhookPromises({
    break: judge.break,
    platformKey: () => agent.platformKey,
    platformMs,
    isClockRight: () => isTimeKnown({ clock: host.clock, network }),
    wasDateWrong: () => network.wasDateWrong,
    worksAlone: () => hasOwnStore && agent.isWorking,
    nowMs,
  })
  const clock = new ClockPromises({
    ...{ break: judge.break, platformMs, day, startedMs, nowMs },
    wallMs: () => host.clock.wallMs,
  })
  // What is handed over in a list by a file is not seen.
  const seesReports =
    hasOwnStore && parts.reportsBy === 'reply' && !(parts.ordersBy === 'asking' && parts.callsBy === 'files')
  const reports = new ReportPromises({ break: judge.break, platform, nowMs, startedMs })
  const contact = new ContactPromises({ break: judge.break, startedMs, nowMs })
  const room = new RoomPromises({ break: judge.break, disk: host.diskFaults, startedMs, hasOwnStore })
  const journal = hasOwnStore ? parts.state.journal : undefined
  const repairs =
    journal &&
    new RepairPromises({
      ...{ break: judge.break, name, journal, disk: host.diskFaults, lateStocks, platform, nowMs },
      startedMs: runningSinceMs,
    })
  const sentAgain = new SentAgainPromises({ break: judge.break, platform, day, startedMs, nowMs })
  const stops = new StopPromises({
    ...{ break: judge.break, host, spool: addresses.spool, journal, platform },
    nowMs,
    startedMs,
  })
  const events = new EventPromises({ ...parts, break: judge.break, spool: addresses.spool, platform, nowMs })
  const comeBacks = new ComeBackPromises({ break: judge.break, host, spool: addresses.spool, nowMs })
  const seesEvents = parts.ordersBy === 'files' && hasOwnStore
  const seen: { status: Status | undefined; atMs: number } = { status: undefined, atMs: 0 }
  const status = () => (agent.program.process && seen.atMs > agent.startedMs ? seen.status : undefined)
  const heartbeats = new HeartbeatPromises({ ...{ break: judge.break, host, spool: addresses.spool, nowMs }, status })
  const statuses = new StatusPromises({
    ...{ break: judge.break, name, status, nowMs },
    findOpenOrders: () => (hasOwnStore ? openOrdersIn(parts.state).filter(({ phase }) => !isOver(phase)) : undefined),
  })
  const claims = new ClaimPromises({
    ...{ break: judge.break, host, spool: addresses.spool, nowMs },
    // One that stops claims nothing.
    startedMs: () => (agent.isWorking ? runningSinceMs() : undefined),
  })
  const claimedBefore = new ClaimedBeforePromises({ break: judge.break, disk: host.disk, nowMs, startedMs })
  const claimOrder = new ClaimOrderPromises({
    ...{ break: judge.break, disk: host.disk, diskFaults: host.diskFaults, lateStocks, platform, startedMs },
  })
  const ignored = new IgnoredPromises({
    ...{ break: judge.break, host, spool: addresses.spool, nowMs },
    startedMs: runningSinceMs,
  })
  const { alsoWhileCalm = [] } = parts
  const seesIgnored = hasStrangeFiles && parts.hasSpool
  const whileCalm = [
    comeBacks,
    heartbeats,
    statuses,
    ...(seesIgnored ? [ignored] : []),
    ...(seesEvents ? [events] : []),
    ...alsoWhileCalm,
  ]
  const keys = new KeyPromises({ break: judge.break, day, hasOwnStore, startedMs, nowMs })
  const offeredAgain = new OfferedAgainPromises({
    ...{ break: judge.break, startedMs },
    findOrder: (transactionId) => orderIn(parts.state, transactionId),
  })
  const lists = new OrderListPromises({
    ...{ break: judge.break, wallMs: () => host.clock.wallMs },
    findOrders: () => ordersIn(parts.state),
    wasClockSet: () => (host.clock.lastSetMs ?? Number.NEGATIVE_INFINITY) >= agent.startedMs,
  })
  const pace = new PacePromises({ break: judge.break, nowMs, startedMs })
  const agent: ModelAgent = installAgent({
    ...parts,
    ...surroundings,
    deadlines,
    addresses,
    registration,
    rotate(which) {
      if (which === 'forward token') {
        parts.orderDoor.token += '+'
        return
      }
      const known = registration()
      const { gameServerId } = known
      const changed =
        which === 'signing key'
          ? { kid: platform.addKey(gameServerId) }
          : { apiKey: platform.replaceApiKey(gameServerId) }
      registrations.set(identity, { ...known, ...changed })
    },
    witness: tellAll([
      wire,
      credentials,
      keys,
      ...(parts.callsBy === 'http' ? [pace] : []),
      webhooks,
      clock,
      proofs,
      // Before what leaves counts as said.
      ...(repairs ? [repairs] : []),
      ...(parts.callsBy === 'http' && hasOwnStore ? [sentAgain] : []),
      ...(parts.callsBy === 'files' && hasOwnStore ? [claimOrder] : []),
      lateStocks,
      surroundings.webhooks,
      contact,
      room,
      ...(hasOwnStore ? [offeredAgain, lists] : []),
      statuses,
      claimedBefore,
      stops,
      ignored,
      ...(seesEvents ? [events] : []),
      ...(seesReports ? [reports] : []),
      witness,
    ]),
    onMistakeTaken: () => judge.break('a configuration that is refused changes nothing', name),
    onBug: (error) => judge.break('an agent ends only for a reason that it can name', String((error as Error).stack)),
  })
  const onStatus = (status: Status) => Object.assign(seen, { status, atMs: nowMs() })
  const onPageAsked = (path: string, isWell: boolean) => {
    // The store that several agents share may be away, but not while all is well.
    const mayStoreBeAway = !hasOwnStore && !(day.phase === 'calm' && isWell)
    const mayLack = ['SHUTTING_DOWN', ...(mayStoreBeAway ? ['STORE_UNREACHABLE'] : [])]
    return ({ body }: NetworkAnswer) => {
      const text = Buffer.from(body).toString()
      // A text of another form is a proxy's page.
      if (text.startsWith('{"ok":') && !mayLack.some((code) => text.includes(code)))
        judge.break('a page of the agent is there', `${path}: ${text}`)
    }
  }
  return {
    host,
    agent,
    addresses,
    callsBy: parts.callsBy,
    ordersBy: parts.ordersBy,
    hasOwnStore,
    isStandby: parts.isStandby ?? false,
    seen,
    installOperator: () =>
      void installOperator(
        host,
        network,
        { address: `${name}:8899`, token: parts.callToken },
        { onStatus, onPageAsked },
      ),
    check() {
      if (host.diskFaults.isHealthy && agent.program.process) reports.check()
      else reports.holdUp()
      // In waves too.
      repairs?.check()
      sentAgain.check()
      claims.check()
      // What a slow network holds up is not counted.
      const isHeldUp = slowPhases.has(day.phase)
      for (const promises of whileCalm)
        if (isHeldUp) promises.reset()
        else promises.check()
    },
    checkAtEnd() {
      const changed = hasStrangeFiles ? findChangedStrange(host.disk, addresses.spool) : undefined
      if (changed !== undefined) judge.break('an agent does not touch what it did not write', `${name} ${changed}`)
    },
    onSlept() {
      reports.holdUp()
      claims.reset()
    },
    restart() {
      agent.restart(() => stops.onStop())
    },
    end() {
      parts.state.journal.close()
      parts.state.ledger.close()
    },
  }
}
