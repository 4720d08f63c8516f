import type { Order } from '../../../agent/orders/order.ts'
import { newAgentState, openOrdersIn } from '../agent/model-outside.ts'
import type { ModelHost } from '../host.ts'
import type { HostClock } from '../host-clock.ts'
import { type AgentHost, assembleAgent, newAgentHost } from './agent-host.ts'
import type { PlatformKey } from './agent-program.ts'
import { type CallAccess, firstCallToken } from './call-door.ts'
import { drawEarlierOrders, isLost } from './earlier-orders.ts'
import type { GameWays } from './game/game-parts.ts'
import { installGame } from './game/game-program.ts'
import { type GameState, newGameState } from './game/game-state.ts'
import { gameDir } from './game/game-store.ts'
import { drawQuirks } from './game/quirks.ts'
import type { OrderDoor } from './game/take-orders.ts'
import { Wants } from './game/wants.ts'
import type { Surroundings } from './host-parts.ts'
import { AnswerPromises } from './promises/answer-promises.ts'
import type { OwnAgent } from './promises/attempt-promises.ts'
import { DurabilityPromises } from './promises/durability-promises.ts'
import { EnvelopePromises } from './promises/envelope-promises.ts'
import { FilePromises } from './promises/file-promises.ts'
import { mistakePromises } from './promises/mistake-promises.ts'
import { OrderPromises } from './promises/order-promises.ts'
import { isTimeKnown } from './promises/platform-time.ts'
import { ReplyOrderPromises } from './promises/reply-order-promises.ts'
import { StaffPromises } from './promises/staff-promises.ts'
import { VerifyPromises } from './promises/verify-promises.ts'
import { tellAll } from './tell-all.ts'
import type { ReceivedWebhook } from './witnessed.ts'

const ways: readonly Omit<GameWays, 'hasSpool'>[] = (['http', 'files'] as const).flatMap((callsBy) =>
  (['url', 'files', 'asking'] as const).flatMap((ordersBy) =>
    (['reply', 'reply', 'call'] as const).map((reportsBy) => ({ callsBy, ordersBy, reportsBy })),
  ),
)

const spool = '/var/spool'
/** How many have a spool without using it. */
const unusedSpoolRate = 0.7

/** A host with a game server and its agent. */
export type Server = GameServer &
  InstalledGame &
  AgentHost & {
    /** Transactions that the agent has not brought to an end. */
    readonly openOrders: () => readonly OpenOrder[]
  }

/** A transaction that is not over. */
export interface OpenOrder {
  readonly transactionId: number
  readonly phase: string
}

/** A game server with an agent and an identity of its own. */
export function assembleServer(name: string, parts: Surroundings): Server {
  const host = newAgentHost(name, parts)
  const drawn = drawWays(name, parts)
  const state = newAgentState(host, earlierOrdersOf(name, drawn, parts))
  const durability = new DurabilityPromises({
    break: parts.judge.break,
    disk: host.disk,
    state,
    spool,
    isByFiles: drawn.callsBy === 'files',
    isDue: (id) => server.files.unanswered.has(id),
    clock: host.clock,
    diskFaults: host.diskFaults,
    startedMs: () => agent.agent.startedMs,
    nowMs: parts.nowMs,
  })
  const server = newGameServer(host, parts, { identity: name, ways: drawn })
  const { onHandedOver, onLogged } = server.orders
  const onAcknowledged = (event: string, transactionId: number, { arrivedMs }: ReceivedWebhook) =>
    server.orders.onAcknowledged(event, transactionId, {
      reply: durability.isReplyDurable(transactionId, arrivedMs),
      end: durability.isEndDurable(transactionId),
    })
  const isGiven = (transactionId: number) => server.saved().given[transactionId] !== undefined
  const witness = tellAll([
    { onHandedOver, onAcknowledged, onLogged },
    new StaffPromises({ ...parts, break: parts.judge.break, isGiven, startedMs: () => agent.agent.startedMs }),
    server.replyOrder,
    durability,
    server.files,
    {
      onSent: (request) => game.answers.onSent(request),
      onRenamed: (from, to) => game.answers.onRenamed(from, to),
    },
  ])
  const agent = assembleAgent({ ...server, ...server.ways, state, witness }, parts)
  // A wall clock that is set makes the age of an id wrong for the next process.
  const isKeptByClock = (sinceMs: number) => agent.agent.startedMs < sinceMs || (host.clock.lastSetMs ?? 0) < sinceMs
  // A file has its id as long as it has no answer.
  const isWindowKept = server.ways.callsBy === 'files' ? () => true : isKeptByClock
  const game = installGameOf(server, parts, {
    ...{ callAddresses: [`${name}:8899`], isWindowKept, isAgeKnown: isKeptByClock },
    mayBeStoredUnseen: () => false,
    ownAgent: {
      diskFaults: host.diskFaults,
      startedMs: () => agent.agent.startedMs,
      isWorking: () => agent.agent.isWorking,
      callDeadlineMs: () => agent.agent.config?.callDeadlineMs ?? 0,
    },
    platformKey: () => agent.agent.platformKey,
    clock: host.clock,
  })
  agent.installOperator()
  const openOrders = () => openOrdersIn(state).filter((order) => !isLost(order))
  return { ...server, ...agent, ...game, openOrders }
}

/** A game server that asks for its orders would be told how the earlier ones ended. */
function earlierOrdersOf(name: string, { ordersBy }: GameWays, { random }: Surroundings): readonly Order[] {
  if (ordersBy === 'asking') return []
  return drawEarlierOrders(random.part(`${name} earlier orders`), (n) => itemRefOf(name, n))
}

/** How the game server of a host works with its agent. */
export function drawWays(name: string, { random }: Surroundings): GameWays {
  const drawn = random.part(`${name} ways`).pick(ways)
  const usesFiles = drawn.callsBy === 'files' || drawn.ordersBy === 'files'
  return { ...drawn, hasSpool: usesFiles || random.part(`${name} spool`).happens(unusedSpoolRate) }
}

/** A game server, before its program is installed: its world, and what it is promised about orders. */
export type GameServer = ReturnType<typeof newGameServer>

/** What a host has for a game server. @param options.identity By which the platform knows it. */
export function newGameServer(
  host: ModelHost,
  { random, nowMs, network, platform, judge, registrations }: Surroundings,
  { identity, ways: drawn }: { readonly identity: string; readonly ways: GameWays },
) {
  const { name } = host
  const gameServerId = () => registrations.get(identity)?.gameServerId
  const files = new FilePromises(name, { break: judge.break, nowMs })
  host.onPowerCut(() => files.onPowerCut())
  const saved = () => savedState(host)
  const isOurs = (itemRef: string) => itemRef.startsWith(itemPrefixOf(name))
  const orders = new OrderPromises({
    ...{ break: judge.break, platform, gameServerId, isOurs, nowMs },
    ordersBy: drawn.ordersBy,
    state: saved,
  })
  const replyOrder = new ReplyOrderPromises({ break: judge.break, disk: host.disk, diskFaults: host.diskFaults, nowMs })
  const orderDoor: OrderDoor = { address: `${name}:9000`, token: 'forward-token' }
  // Any 2xx confirms a terminal event.
  network.finalAddresses.add(orderDoor.address)
  network.nearAddresses.add(orderDoor.address)
  const callAccess: CallAccess = { token: random.part(`${name} token`).happens(0.5) ? firstCallToken : undefined }
  const own = { quirks: drawQuirks(random.part(`${name} quirks`)), wants: new Wants(nowMs), orderDoor, callAccess }
  return { name, identity, host, ways: drawn, files, saved, gameServerId, isOurs, orders, replyOrder, ...own }
}

function itemPrefixOf(name: string): string {
  return `${name}-item-`
}

/** @param n From 1. */
function itemRefOf(name: string, n: number): string {
  return `${itemPrefixOf(name)}${n}`
}

/** The program of a game server, and what its callers are promised. */
type InstalledGame = ReturnType<typeof installGameOf>

interface GameOptions {
  /** Of the agents that it asks: another one where one does not answer. */
  readonly callAddresses: readonly string[]
  readonly isWindowKept: (sinceMs: number) => boolean
  readonly isAgeKnown: (sinceMs: number) => boolean
  readonly mayBeStoredUnseen: (id: string) => boolean
  readonly ownAgent: OwnAgent | undefined
  /** As `VerifyPromises` needs it. */
  readonly platformKey: (() => PlatformKey) | undefined
  /** When the clock was set last by which an agent that it asks may sign. */
  readonly clock: Pick<HostClock, 'lastSetMs'>
}

/** Installs the program of a game server. */
export function installGameOf(server: GameServer, parts: Surroundings, options: GameOptions) {
  const { files, ways: drawn } = server
  const { judge } = parts
  const { callsBy } = drawn
  const answers = new AnswerPromises({ ...parts, ...server, ...options, callsBy, break: judge.break })
  server.host.onPowerCut(() => answers.onPowerCut())
  const envelopes = new EnvelopePromises({
    ...{ ...parts, break: judge.break, clock: options.clock },
    isByFiles: callsBy === 'files',
  })
  const verifications = new VerifyPromises({
    ...{ break: judge.break, platformKey: options.platformKey, nowMs: parts.nowMs },
    platformMs: () => parts.platform.composed.clock.nowMs(),
    isClockRight: () => isTimeKnown({ clock: options.clock, network: parts.network }),
  })
  const isRejected = (id: string) => server.host.disk.namesIn(`${spool}/outbox`).includes(`${id}.json.rejected`)
  const mayBeGone = (id: string) => files.mayBeUndone(id) || files.mayBeExpired(id)
  const onMistakeTold = mistakePromises(judge.break, (id) => mayBeGone(id) || isRejected(id))
  let items = 0
  const game = installGame({
    ...parts,
    ...server,
    ...drawn,
    callAddresses: options.callAddresses,
    spool,
    record: files,
    witness: {
      onAsked(call) {
        answers.onAsked(call)
        verifications.onAsked(call)
      },
      onUnheard: (call) => answers.onUnheard(call),
      onUnanswered: (call) => answers.onUnanswered(call),
      onTold(call, told) {
        if (drawn.callsBy === 'files') files.onTold(call, told)
        answers.onTold(call, told)
        envelopes.onTold(call, told)
        verifications.onTold(call, told)
      },
      onMistakeTold(mistake, told, id) {
        if (id !== undefined) files.onTold({ id }, told)
        onMistakeTold(mistake, told, id)
      },
      onEndTold: server.orders.onEndTold,
      onReplyWritten: server.replyOrder.onWritten,
      onReplyTakenAway(file) {
        // The agent could not remove an event that is over. It does not wait for a reply to that one.
        if (!server.host.diskFaults.failedCalls.has('unlink'))
          judge.break('a reply that is being written is waited for', file)
      },
      onGarbage: (file) => judge.break('an answer is never half-written', file),
    },
    newItemRef: () => itemRefOf(server.name, ++items),
  })
  return { game, answers }
}

/** By the bytes of their files: they are looked at much more often than saved. */
const states = new WeakMap<Buffer, GameState>()

/** What the game server of a host has on its disk. Only for reading. */
function savedState({ disk }: ModelHost): GameState {
  const file = disk.find(`${gameDir}/world.json`, 'open')
  if (file?.kind !== 'file') return newGameState()
  const state = states.get(file.data) ?? (JSON.parse(file.data.toString()) as GameState)
  states.set(file.data, state)
  return state
}
