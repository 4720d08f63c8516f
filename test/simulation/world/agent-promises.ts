import { isOver } from '../../../agent/orders/order-moves.ts'
import type { Status } from '../../../agent/status/status.ts'
import { openOrdersIn, orderIn, ordersIn } from '../agent/model-outside.ts'
import { wasSetSince } from '../host-clock.ts'
import type { AgentParts, ModelAgent, StopWatch } from './agent-program.ts'
import { slowPhases } from './day.ts'
import type { AgentHostParts, CalmPromises, Surroundings } from './host-parts.ts'
import { AnsweredStockPromises } from './promises/answered-stock-promises.ts'
import { ArrivalPromises } from './promises/arrival-promises.ts'
import { AskedAgainPromises } from './promises/asked-again-promises.ts'
import { AskedOrdersPromises } from './promises/asked-orders-promises.ts'
import { ClaimOrderPromises } from './promises/claim-order-promises.ts'
import { ClaimPromises } from './promises/claim-promises.ts'
import { ClaimedBeforePromises } from './promises/claimed-before-promises.ts'
import { ClockPromises } from './promises/clock-promises.ts'
import { ClosedPromises } from './promises/closed-promises.ts'
import { ComeBackPromises } from './promises/come-back-promises.ts'
import { ContactPromises } from './promises/contact-promises.ts'
import { CredentialPromises } from './promises/credential-promises.ts'
import { DoubtOverPromises } from './promises/doubt-over-promises.ts'
import { EventPromises } from './promises/event-promises.ts'
import { FirstResultPromises } from './promises/first-result-promises.ts'
import { HeartbeatPromises } from './promises/heartbeat-promises.ts'
import { IgnoredPromises } from './promises/ignored-promises.ts'
import { KeptFilePromises } from './promises/kept-file-promises.ts'
import { KeyPromises } from './promises/key-promises.ts'
import { LateReplyPromises } from './promises/late-reply-promises.ts'
import { LateResultPromises } from './promises/late-result-promises.ts'
import { MarkPromises } from './promises/mark-promises.ts'
import { NewIdPromises } from './promises/new-id-promises.ts'
import { NotedReplyPromises } from './promises/noted-reply-promises.ts'
import { OfferedAgainPromises } from './promises/offered-again-promises.ts'
import { OrderListPromises } from './promises/order-list-promises.ts'
import { OwnerPromises } from './promises/owner-promises.ts'
import { PacePromises } from './promises/pace-promises.ts'
import { isTimeKnown } from './promises/platform-time.ts'
import { ProofPromises } from './promises/proof-promises.ts'
import { PurgePromises } from './promises/purge-promises.ts'
import { PushPromises } from './promises/push-promises.ts'
import { ReadReplyPromises } from './promises/read-reply-promises.ts'
import { ReadableFilePromises } from './promises/readable-file-promises.ts'
import { RepairPromises } from './promises/repair-promises.ts'
import { ReplacedFilePromises } from './promises/replaced-file-promises.ts'
import { ReportPromises } from './promises/report-promises.ts'
import { RoomPromises } from './promises/room-promises.ts'
import { SentAgainPromises } from './promises/sent-again-promises.ts'
import { SoldOrderPromises } from './promises/sold-order-promises.ts'
import { StatusPromises } from './promises/status-promises.ts'
import { StopPromises } from './promises/stop-promises.ts'
import { WebhookPromises } from './promises/webhook-promises.ts'
import { WirePromises } from './promises/wire-promises.ts'
import { WithdrawnPromises } from './promises/withdrawn-promises.ts'
import { tellAll } from './tell-all.ts'
import type { AgentWitness } from './witnessed.ts'

/** What is promised about one agent to anyone who calls it. */
export interface AgentPromises {
  /** It must see everything that crosses the edge of the agent. */
  readonly witness: AgentWitness
  /** What must have happened by now. */
  readonly check: () => void
  /** Everything slept: what must happen in time has time again. */
  readonly onSlept: () => void
  /** A clean stop begins. */
  readonly onStop: () => StopWatch
}

interface AgentPromisesParts
  extends AgentHostParts,
    Surroundings,
    Pick<AgentParts, 'addresses' | 'deadlines' | 'registration'> {
  readonly hasStrangeFiles: boolean
  /** Installed after this, with the witness. */
  readonly agent: () => ModelAgent
  /** What the operator was told last by the process that runs. */
  readonly status: () => Status | undefined
}

function watchersIf(
  isNeeded: boolean,
  ...promises: readonly Partial<AgentWitness>[]
): readonly Partial<AgentWitness>[] {
  return isNeeded ? promises : []
}

/** Watches an agent for everything that is promised about it. */
export function promisesAbout(parts: AgentPromisesParts): AgentPromises {
  const { host, state, network, nowMs, platform, day, registrations, lateStocks, deadlines } = parts
  const { agent, registration, callsBy, ordersBy, hasSpool } = parts
  const { spool } = parts.addresses
  const { name, diskFaults, clock } = host
  const judge = { break: parts.judge.break }
  const onHost = { ...judge, host, spool, nowMs }
  const onDisk = { ...judge, disk: host.disk, spool }
  const hasOwnStore = parts.store === undefined
  const journal = hasOwnStore ? state.journal : undefined
  const startedMs = () => agent().startedMs
  const since = { ...judge, startedMs, nowMs }
  const isWorking = () => agent().isWorking
  const runningSinceMs = () => (agent().program.process ? startedMs() : undefined)
  const platformMs = () => platform.composed.clock.nowMs()
  const ownerOf = (id: number) => platform.composed.platform.tables.transactions.byId(id)?.gameServerId

  // What leaves for the platform.
  const tokens = () => [parts.orderDoor.token, parts.callAccess.token].filter((token) => token !== undefined)
  const secrets = () => [...registrations.values().map(({ apiKey }) => apiKey), ...tokens()]
  const wire = new WirePromises({ ...judge, secrets, textOf: (path) => host.disk.textOf(path), nowMs, ...deadlines })
  const credentials = new CredentialPromises({
    ...{ ...judge, nowMs, ...deadlines },
    config: () => agent().config,
    configReadMs: () => agent().configReadMs,
  })
  const keys = new KeyPromises({ ...since, day, hasOwnStore })
  const pace = new PacePromises(since)
  const arrivals = new ArrivalPromises(since)
  const clocks = new ClockPromises({ ...since, platformMs, day, wallMs: () => clock.wallMs })
  const contact = new ContactPromises(since)

  // Its stocks.
  const repairs =
    journal &&
    new RepairPromises({
      ...{ ...judge, name, journal, disk: diskFaults, lateStocks, platform, nowMs },
      startedMs: runningSinceMs,
    })
  const marks = new MarkPromises(since)
  const sentAgain = new SentAgainPromises({ ...since, platform, day })

  // Its orders.
  const webhooks = new WebhookPromises({
    ...{ ...judge, platformMs, nowMs },
    platformKey: () => agent().platformKey,
    isClockRight: () => isTimeKnown({ clock, network }),
    wasDateWrong: () => network.wasDateWrong,
    worksAlone: () => hasOwnStore && isWorking(),
  })
  // Agents that share a store divide the orders of one game server.
  const isOurs = (id: number) => hasOwnStore && ownerOf(id) === registration().gameServerId
  const proofs = new ProofPromises({ ...judge, nowMs, isOurs })
  const reports = new ReportPromises({ ...since, platform, day, diskFaults })
  const closed = new ClosedPromises({ ...since, platform, clock })
  const findOrder = (id: number) => orderIn(state, id)
  const doubtOver = new DoubtOverPromises({ ...since, findOrder, disk: diskFaults })
  const offeredAgain = new OfferedAgainPromises({ ...judge, startedMs, findOrder })
  const lateResults = new LateResultPromises({ ...judge, findOrder, nowMs })
  const lateReplies = new LateReplyPromises({ ...since, ...onDisk, findOrder })
  const askedOrders = new AskedOrdersPromises(judge.break, nowMs)
  const askedAgain = new AskedAgainPromises({ ...since, isWorking, findOpenOrders: () => openOrdersIn(state) })
  const sold = new SoldOrderPromises({ ...onDisk, platform })
  const pushes = new PushPromises({ ...since, state, isWorking })
  const seesPushes = ordersBy === 'url' && hasOwnStore
  const lists = new OrderListPromises({
    ...{ ...judge, wallMs: () => clock.wallMs },
    findOrders: () => ordersIn(state),
    wasClockSet: () => wasSetSince(clock, startedMs()),
  })
  const events = new EventPromises({ ...parts, ...judge, spool })
  // The checker does not see orders that a file lists.
  const seesReports = hasOwnStore && parts.reportsBy === 'reply' && !(ordersBy === 'asking' && callsBy === 'files')
  const seesEvents = ordersBy === 'files' && hasOwnStore
  const callsHere = callsBy === 'http' && hasOwnStore

  // Its files.
  const comeBacks = new ComeBackPromises(onHost)
  // One that stops claims nothing.
  const claims = new ClaimPromises({
    ...onHost,
    startedMs: () => (isWorking() ? runningSinceMs() : undefined),
  })
  const claimedBefore = new ClaimedBeforePromises({ ...since, disk: host.disk })
  const claimOrder = new ClaimOrderPromises({ ...judge, disk: host.disk, diskFaults, lateStocks, platform, startedMs })
  const ignored = new IgnoredPromises({ ...onHost, startedMs: runningSinceMs })
  const seesIgnored = parts.hasStrangeFiles && hasSpool
  const replaced = new ReplacedFilePromises(onDisk)
  const readable = new ReadableFilePromises(onDisk)
  const kept = new KeptFilePromises({ ...judge, clock, nowMs })
  const newIds = new NewIdPromises({ ...since, clock })
  const purges = new PurgePromises({ ...since, state, clock, disk: diskFaults, isWorking })
  const seesPurges = hasOwnStore && !hasSpool
  const readReplies = new ReadReplyPromises({ ...onDisk, ...since, diskFaults })
  const room = new RoomPromises({ ...since, disk: diskFaults, day, journal })

  // What it says about itself, and its end.
  const heartbeats = new HeartbeatPromises({ ...onHost, startedMs, status: parts.status })
  const statuses = new StatusPromises({
    ...{ ...judge, name, status: parts.status, nowMs, wallMs: () => clock.wallMs },
    findOpenOrders: () => (hasOwnStore ? openOrdersIn(state).filter(({ phase }) => !isOver(phase)) : undefined),
  })
  const hasReports = () =>
    openOrdersIn(state).some(({ phase, result }) => phase === 'reporting' && result !== 'DELIVERED')
  const stops = new StopPromises({ ...onHost, journal, platform, startedMs, hasReports })

  const whileCalm: readonly CalmPromises[] = [
    comeBacks,
    heartbeats,
    statuses,
    ...(seesIgnored ? [ignored] : []),
    ...(seesEvents ? [events] : []),
    ...(parts.alsoWhileCalm ?? []),
  ]
  return {
    witness: tellAll([
      wire,
      credentials,
      keys,
      ...watchersIf(callsBy === 'http', pace, marks),
      ...watchersIf(callsHere, arrivals),
      webhooks,
      clocks,
      proofs,
      closed,
      // This must come before `lateStocks`, which notes what leaves.
      ...(repairs ? [repairs] : []),
      ...watchersIf(callsHere, sentAgain),
      ...watchersIf(callsBy === 'files' && hasOwnStore, claimOrder),
      lateStocks,
      parts.webhooks,
      contact,
      room,
      // What a game server that reports by itself makes the agent ask changes no order.
      ...watchersIf(hasOwnStore && parts.reportsBy === 'reply', doubtOver),
      ...watchersIf(hasOwnStore, offeredAgain, lateResults, lists, new AnsweredStockPromises({ ...judge, state })),
      ...watchersIf(callsHere && ordersBy === 'asking', new NotedReplyPromises({ ...judge, state, platform })),
      ...watchersIf(hasOwnStore, new FirstResultPromises({ ...since, findOrder }), new WithdrawnPromises(judge.break)),
      ...watchersIf(seesEvents, lateReplies),
      askedOrders,
      ...watchersIf(hasOwnStore, askedAgain),
      sold,
      ...watchersIf(seesPushes, pushes),
      statuses,
      claimedBefore,
      ...watchersIf(hasSpool, new OwnerPromises({ ...judge, state, spool })),
      stops,
      ignored,
      replaced,
      readable,
      kept,
      readReplies,
      ...watchersIf(callsHere, newIds),
      ...watchersIf(seesEvents, events, heartbeats),
      ...watchersIf(seesReports, reports),
      parts.witness,
    ]),
    check() {
      if (diskFaults.isHealthy && agent().program.process) reports.check()
      else reports.holdUp()
      // These are checked in waves too.
      repairs?.check()
      sentAgain.check()
      room.check()
      claims.check()
      if (seesPushes) pushes.check()
      if (seesPurges) purges.check()
      if (hasOwnStore) askedAgain.check()
      if (seesEvents) lateReplies.check()
      // What a slow network holds up is not counted.
      const isHeldUp = slowPhases.has(day.phase)
      for (const promises of whileCalm)
        if (isHeldUp) promises.reset()
        else promises.check()
    },
    onSlept() {
      keys.onSlept()
      proofs.onSlept()
      reports.holdUp()
      claims.reset()
      pushes.reset()
      purges.onSlept()
      askedAgain.onSlept()
    },
    onStop: () => stops.onStop(),
  }
}
