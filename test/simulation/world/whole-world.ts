import type { Status } from '../../../agent/status/status.ts'
import { newAgentState } from '../agent/model-outside.ts'
import { type HostTargets, hostFaults } from '../faults/host-faults.ts'
import { type NetworkTargets, networkFaults } from '../faults/network-faults.ts'
import { ModelHost } from '../host.ts'
import { Network } from '../network/network.ts'
import type { Simulation, World, WorldParts } from '../simulation.ts'
import { type HostAddresses, installAgent } from './agent-program.ts'
import { type Day, type GameWays, installGame } from './game/game-program.ts'
import { type GameState, newGameState } from './game/game-state.ts'
import { gameDir } from './game/game-store.ts'
import { noQuirks } from './game/quirks.ts'
import { Wants } from './game/wants.ts'
import { installPlatform, type ModelPlatform, type Registration } from './model-platform.ts'
import { installOperator } from './operator.ts'
import { installPeople } from './people.ts'
import { AnswerPromises } from './promises/answer-promises.ts'
import { FilePromises } from './promises/file-promises.ts'
import { JournalPromises } from './promises/journal-promises.ts'
import { Judge } from './promises/judge.ts'
import { OrderPromises } from './promises/order-promises.ts'
import { QuietPromises } from './promises/quiet-promises.ts'
import { WirePromises } from './promises/wire-promises.ts'
import { type WorldTargets, worldFaults } from './world-faults.ts'

/** What the faults of a whole world strike. */
export type Targets = HostTargets & NetworkTargets & WorldTargets

/** What is asked of a world besides its seed. */
export interface WorldOptions {
  /** Game servers, each with an agent and an identity of its own. Drawn from the seed if it is left out. */
  readonly agents?: number
}

const stormMs = 5 * 60_000
/** A wrong `Retry-After` keeps a result back for an hour, and the order may be put off after it. */
const quietMsMax = 90 * 60_000
const ways: readonly GameWays[] = (['http', 'files'] as const).flatMap((callsBy) =>
  (['url', 'files', 'asking'] as const).flatMap((ordersBy) =>
    (['reply', 'reply', 'call'] as const).map((reportsBy) => ({ callsBy, ordersBy, reportsBy })),
  ),
)

/** The whole world: agents, platform, game servers, people, and everything between them. */
export function wholeWorld({ agents }: WorldOptions = {}): Simulation<Targets> {
  return {
    table: [...hostFaults, ...networkFaults, ...worldFaults],
    stormMs,
    quietMsMax,
    assemble: (parts) => assemble(parts, agents ?? parts.random.part('agents').pick([1, 1, 2])),
  }
}

function assemble({ scheduler, random }: WorldParts, count: number): World<Targets> {
  const judge = new Judge()
  const network = new Network(random)
  const day: Day = { phase: 'open' }
  const nowMs = () => scheduler.nowMs
  const names = Array.from({ length: count }, (_, n) => `server-${n + 1}`)
  const registrations = new Map<string, Registration>()
  const far = new ModelHost('far', scheduler, random)
  const platform = installPlatform({
    host: far,
    network,
    webhookUrls: new Map(names.map((name) => [name, `http://${name}:8081/webhook`])),
    onRegistered(registered) {
      for (const [name, registration] of registered) registrations.set(name, registration)
      for (const { host } of servers) for (const program of host.programs) program.start()
    },
    onBug: (line) => judge.break('the platform has no bug', line),
  })
  const parts = { scheduler, random, network, day, nowMs, platform, judge, registrations }
  const servers = names.map((name) => assembleServer(name, parts))
  const people = installPeople({ host: far, platform, shops: servers, day, nowMs })
  platform.program.start()
  people.start()

  const quiet = new QuietPromises({ judge, platform, servers, day, network, nowMs })
  return {
    targets: {
      hosts: servers.map(({ host }) => host),
      network,
      platform,
      agents: servers.map(({ agent }) => agent),
      games: servers.map(({ game }) => game),
      quirks: servers.map(({ quirks }) => quirks),
    },
    checkSafety: () => judge.assertKept(),
    heal() {
      day.phase = 'closing'
      for (const program of [far, ...servers.map(({ host }) => host)].flatMap(({ programs }) => programs)) {
        program.process?.resume()
        program.start()
      }
    },
    isQuiet: () => quiet.isReached(),
    checkLiveness() {
      quiet.check()
      for (const { orders, answers } of servers) {
        orders.checkLedgers()
        answers.check()
      }
      judge.assertKept()
    },
    end: () => platform.end(),
  }
}

interface ServerParts extends WorldParts {
  readonly network: Network
  readonly day: Day
  readonly nowMs: () => number
  readonly platform: ModelPlatform
  readonly judge: Judge
  readonly registrations: Map<string, Registration>
}

/** A host with a game server and its agent. */
export type Server = ReturnType<typeof assembleServer>

function assembleServer(name: string, parts: ServerParts) {
  const { scheduler, random, network, day, nowMs, platform, judge, registrations } = parts
  const host = new ModelHost(name, scheduler, random)
  const { callsBy, ordersBy, reportsBy } = random.part(`${name} ways`).pick(ways)
  const addresses: HostAddresses = {
    call: { host: name, port: 8899 },
    webhook: { host: name, port: 8081 },
    orders: `${name}:9000`,
    spool: '/var/spool',
  }
  makeDirs(host, [
    '/var',
    '/var/spool',
    '/var/spool/outbox',
    '/var/spool/inbox',
    '/var/spool/events',
    '/var/spool/replies',
    '/var/state',
    gameDir,
  ])
  // The requests in an outbox, and the answers in an inbox, are gone with their directory.
  host.removableDirs.push('/var/spool/events', '/var/spool/replies')
  network.finalAddresses.add(`${name}:8081`)
  const registration = () => registrations.get(name) as Registration
  const gameServerId = () => registrations.get(name)?.gameServerId
  const files = new FilePromises(name, judge.break)
  host.onPowerCut(() => files.onPowerCut())
  const state = newAgentState(host)
  const saved = () => savedState(host)
  const orders = new OrderPromises({ break: judge.break, platform, gameServerId, nowMs, state: saved })
  const wire = new WirePromises(judge.break, () => [...registrations.values()].map(({ apiKey }) => apiKey), nowMs)
  const journal = new JournalPromises(judge.break, state.journal)
  const quirks = noQuirks()
  const wants = new Wants(nowMs)
  let items = 0
  const agent = installAgent({
    host,
    network,
    scheduler,
    state,
    addresses,
    ordersBy,
    registration,
    rotateKey: () => registrations.set(name, { ...registration(), kid: platform.addKey(registration().gameServerId) }),
    witness: {
      onHandedOver: orders.onHandedOver,
      onAcknowledged: orders.onAcknowledged,
      onSent(request) {
        wire.onSent(request)
        journal.onSent(request)
      },
      onGiven: journal.onGiven,
      onLogged: wire.onLogged,
    },
    onBug: (error) => judge.break('an agent ends only for a reason that it can name', String((error as Error).stack)),
  })
  const isWindowKept = (sinceMs: number) => agent.startedMs < sinceMs || (host.clock.lastSetMs ?? 0) < sinceMs
  const answers = new AnswerPromises({ break: judge.break, platform, gameServerId, nowMs, isWindowKept })
  const game = installGame({
    callsBy,
    ordersBy,
    reportsBy,
    host,
    network,
    callAddress: `${name}:8899`,
    orderAddress: addresses.orders,
    spool: addresses.spool,
    quirks,
    wants,
    day,
    record: files,
    witness: {
      onAsked: answers.onAsked,
      onTold(call, told) {
        if (callsBy === 'files') files.onTold(call, told)
        answers.onTold(call, told)
      },
      onGarbage: (name) => judge.break('an answer is never half-written', name),
    },
    newItemRef: () => `${name}-item-${++items}`,
  })
  const seen: { status: Status | undefined; atMs: number } = { status: undefined, atMs: 0 }
  installOperator(host, network, `${name}:8899`, (status) => Object.assign(seen, { status, atMs: nowMs() }))
  return { name, host, agent, game, state, orders, answers, quirks, wants, files, saved, seen, gameServerId, addresses }
}

function makeDirs({ disk }: ModelHost, dirs: readonly string[]): void {
  for (const dir of dirs) disk.mkdir(dir, 0o755)
  for (const dir of ['/', ...dirs]) disk.sync(disk.getDir(dir, 'open'))
}

/** What the game server of a host has on its disk. */
function savedState({ disk }: ModelHost): GameState {
  const path = `${gameDir}/world.json`
  return disk.find(path, 'open') ? (JSON.parse(disk.textOf(path)) as GameState) : newGameState()
}
