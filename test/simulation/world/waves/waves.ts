import type { Network } from '../../network/network.ts'
import type { Random } from '../../random.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { WorldParts } from '../../simulation.ts'
import type { StoreCluster } from '../../sql/store-cluster.ts'
import type { AgentHost } from '../agent-host.ts'
import type { AfterWave } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Server } from '../server.ts'
import {
  correctClock,
  cutPowerAtDawn,
  endAgent,
  fillDisk,
  fillDiskAtNight,
  fillSpoolAtNight,
  lockFiles,
  lockMessages,
  lockSpoolLate,
  setClockAhead,
  setClockDaysWrong,
  slowDiskDown,
  startBeforePlatform,
  stayAwayAtNight,
  stopWhileBusy,
  takesFiles,
} from './agent-strikes.ts'
import { endGame, sayGarbage } from './game-strikes.ts'
import { loseAnswers, turnAway } from './network-strikes.ts'
import {
  breakWebhooks,
  confuseTransactions,
  denyStocks,
  denyTransactions,
  endPlatform,
  failOneKind,
  holdUpOneKind,
  putResultsOff,
  repeatWebhooks,
} from './platform-strikes.ts'
import { sleepForDays } from './sleep.ts'
import { cutStoreOff, fillStore, loseCommits, loseStore } from './store-strikes.ts'
import { type WaveTime, waveTime } from './wave-time.ts'

interface WavesParts {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly noteStrike: WorldParts['noteStrike']
  readonly network: Network
  readonly platform: ModelPlatform
  readonly agents: readonly AgentHost[]
  readonly servers: readonly Server[]
  /** Undefined where agents share none. */
  readonly store: StoreCluster | undefined
  /** Nobody buys or plays until the wave is over. */
  readonly hush: () => void
}

/** What breaks in a wave: a line each. */
interface StrikeKind<Target> {
  readonly name: string
  /** In how many waves. */
  readonly rate: number
  readonly strike: (target: Target, time: WaveTime, world: WavesParts) => void
  /** Which targets it may strike; all if it is left out. */
  readonly mayStrike?: (target: Target, world: WavesParts) => boolean
}

/** A clock that is set back changes the order of files. */
const mayBeSetBack = ({ callsBy }: AgentHost) => callsBy !== 'files'
/** A clock that is set back by more than a day also changes the order of the ends that an asking game server reads. */
const mayBeDaysWrong = (agent: AgentHost) => mayBeSetBack(agent) && agent.ordersBy !== 'asking' && agent.hasOwnStore
const isScanned = ({ host }: AgentHost, { servers }: WavesParts) =>
  servers.some((server) => server.host === host && server.quirks.isScanned)

/** Only the first of these that happens strikes an agent: a stop needs a healthy disk. */
const ofAgents: readonly StrikeKind<AgentHost>[] = [
  { name: 'files are locked', rate: 0.6, strike: lockFiles, mayStrike: isScanned },
  { name: 'an agent is started before the platform', rate: 0.08, strike: startBeforePlatform },
  { name: 'a clock is wrong for a while', rate: 0.1, strike: correctClock, mayStrike: mayBeSetBack },
  { name: 'a clock is days wrong', rate: 0.2, strike: setClockDaysWrong, mayStrike: mayBeDaysWrong },
  { name: 'an agent cannot lock its spool at its start', rate: 0.1, strike: lockSpoolLate, mayStrike: takesFiles },
  { name: 'an agent is stopped while much waits', rate: 0.12, strike: stopWhileBusy },
  { name: 'a disk is full', rate: 0.35, strike: fillDisk },
  { name: 'an agent ends', rate: 0.5, strike: endAgent },
]
const alsoOfAgents: readonly StrikeKind<AgentHost>[] = [
  { name: 'a disk is slow', rate: 0.3, strike: slowDiskDown },
  { name: 'a clock is set ahead', rate: 0.1, strike: setClockAhead },
  {
    name: 'messages are locked',
    rate: 0.25,
    strike: lockMessages,
    mayStrike: ({ ordersBy }) => ordersBy === 'files',
  },
]
/** Only the first of these that happens strikes an agent at night. */
const ofNights: readonly StrikeKind<AgentHost>[] = [
  { name: 'a spool is full at night', rate: 1 / 3, strike: fillSpoolAtNight, mayStrike: takesFiles },
  { name: 'a disk is full at night', rate: 1 / 3, strike: fillDiskAtNight },
  { name: 'an agent is away at night', rate: 1 / 2, strike: stayAwayAtNight },
  { name: 'a power cut at dawn', rate: 1, strike: cutPowerAtDawn },
]
/** A night that this strikes lasts for days. The agents are struck as in other waves. */
const ofLongNights: StrikeKind<readonly AgentHost[]> = {
  name: 'all machines sleep for days',
  rate: 0.4,
  strike: sleepForDays,
}
const ofPlatform: readonly StrikeKind<ModelPlatform>[] = [
  { name: 'webhooks come twice', rate: 0.5, strike: repeatWebhooks },
  { name: 'webhooks are not signed as they must be', rate: 0.15, strike: breakWebhooks },
  { name: 'the platform does not know its transactions', rate: 0.18, strike: denyTransactions },
  { name: 'the platform shows other items', rate: 0.06, strike: confuseTransactions },
  { name: 'the platform does not know its listings', rate: 0.2, strike: denyStocks },
  { name: 'the platform asks for a day', rate: 0.08, strike: putResultsOff },
  { name: 'the platform is slow with one kind of call', rate: 0.25, strike: holdUpOneKind },
  { name: 'calls of one kind fail', rate: 0.25, strike: failOneKind },
  { name: 'the platform ends', rate: 0.35, strike: endPlatform },
]
const ofNetwork: readonly StrikeKind<Network>[] = [
  { name: 'answers are lost', rate: 0.15, strike: loseAnswers },
  { name: 'a proxy lets nothing through', rate: 0.1, strike: turnAway },
]
const ofGames: readonly StrikeKind<Server>[] = [
  { name: 'a game server ends', rate: 0.3, strike: endGame },
  { name: 'a game server replies with garbage', rate: 0.2, strike: sayGarbage },
]
const ofStore: readonly StrikeKind<StoreCluster>[] = [
  { name: 'the store crashes', rate: 0.3, strike: loseStore },
  { name: 'the store is full', rate: 0.3, strike: fillStore },
  { name: 'the store loses answers to commits', rate: 0.3, strike: loseCommits },
  { name: 'the store is cut off from a host', rate: 0.5, strike: cutStoreOff },
]

const part = 'wave'
const allKinds = [ofAgents, alsoOfAgents, ofNights, [ofLongNights], ofPlatform, ofNetwork, ofGames, ofStore]

/** Everything that may break in a wave, as it is counted. */
export const strikeKinds: readonly string[] = allKinds.flat().map(({ name }) => `${part}: ${name}`)

/**
 * Breaks a few things in each wave after the storm. Only a few, so that the calm shows what an agent has not repaired. Each
 * strike has a seed of its own, so leaving one out changes nothing about when and how the others strike.
 *
 * @returns Called when a wave begins.
 */
export function newWaves(world: WavesParts): (next: AfterWave) => void {
  const { scheduler, hush, noteStrike, agents, servers, store } = world
  let wave = 0

  /** @returns Whether it was drawn. */
  function strike<Target>(kind: StrikeKind<Target>, target: Target, targetName: string): boolean {
    const { name, rate, mayStrike = () => true } = kind
    const where = `wave ${wave}, ${targetName}`
    const random = world.random.part(`${where}: ${name}`)
    if (!mayStrike(target, world) || !random.happens(rate)) return false
    if (noteStrike(`${part}: ${name}`, where)) kind.strike(target, waveTime(scheduler, random, hush), world)
    return true
  }
  function strikeAll<Target>(kinds: readonly StrikeKind<Target>[], target: Target, targetName: string): void {
    for (const kind of kinds) strike(kind, target, targetName)
  }

  return (next) => {
    wave++
    const isLong = next === 'night' && strike(ofLongNights, agents, 'all')
    for (const agent of agents) {
      const { name } = agent.host
      const kinds = next === 'night' && !isLong ? ofNights : ofAgents
      kinds.some((kind) => strike(kind, agent, name))
      if (next !== 'night') strikeAll(alsoOfAgents, agent, name)
    }
    strikeAll(ofPlatform, world.platform, 'platform')
    strikeAll(ofNetwork, world.network, 'network')
    for (const server of servers) strikeAll(ofGames, server, server.host.name)
    if (store) strikeAll(ofStore, store, 'store')
  }
}
