import type { Network } from '../../network/network.ts'
import type { Random } from '../../random.ts'
import type { Scheduler } from '../../scheduler.ts'
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
  lockFiles,
  lockMessages,
  setClockAhead,
  setClockDaysAhead,
  slowDiskDown,
  startBeforePlatform,
  stayAwayAtNight,
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
  readonly network: Network
  readonly platform: ModelPlatform
  readonly agents: readonly AgentHost[]
  readonly servers: readonly Server[]
  /** Undefined where agents share none. */
  readonly store: StoreCluster | undefined
  /** Nobody buys or plays until the wave is over. */
  readonly hush: () => void
}

/** What breaks in a wave, and in how many of them. */
type Strikes<Target> = readonly {
  readonly rate: number
  readonly strike: (target: Target, time: WaveTime) => void
  /** Which targets it may strike; all if it is left out. */
  readonly mayStrike?: (target: Target) => boolean
}[]

/** A clock that is set back changes the order of files. */
const mayBeSetBack = ({ callsBy }: AgentHost) => callsBy !== 'files'
/** A clock that is set back by more than a day also changes the order of the ends that an asking game server reads. */
const mayBeDaysAhead = (agent: AgentHost) => mayBeSetBack(agent) && agent.ordersBy !== 'asking' && agent.hasOwnStore

/** Only the first of these that happens strikes an agent: a stop needs a healthy disk. */
const ofAgents = (platform: ModelPlatform): Strikes<AgentHost> => [
  { rate: 0.08, strike: (agent, time) => startBeforePlatform(agent, platform, time) },
  { rate: 0.1, strike: correctClock, mayStrike: mayBeSetBack },
  { rate: 0.2, strike: (agent, time) => setClockDaysAhead(agent, platform, time), mayStrike: mayBeDaysAhead },
  { rate: 0.35, strike: (agent, time) => fillDisk(agent, platform, time) },
  { rate: 0.5, strike: (agent, time) => endAgent(agent, platform, time) },
]
const alsoOfAgents: Strikes<AgentHost> = [
  { rate: 0.3, strike: slowDiskDown },
  { rate: 0.1, strike: setClockAhead },
  { rate: 0.25, strike: lockMessages, mayStrike: ({ ordersBy }) => ordersBy === 'files' },
]
const lockedRate = 0.6
/** How many nights last for days. */
const longNightRate = 0.4
const ofPlatform: Strikes<ModelPlatform> = [
  { rate: 0.5, strike: repeatWebhooks },
  { rate: 0.15, strike: breakWebhooks },
  { rate: 0.18, strike: denyTransactions },
  { rate: 0.06, strike: confuseTransactions },
  { rate: 0.2, strike: denyStocks },
  { rate: 0.08, strike: putResultsOff },
  { rate: 0.25, strike: holdUpOneKind },
  { rate: 0.25, strike: failOneKind },
  { rate: 0.35, strike: endPlatform },
]
const ofNetwork = (platform: ModelPlatform): Strikes<Network> => [
  { rate: 0.15, strike: loseAnswers },
  { rate: 0.1, strike: (network, time) => turnAway(network, platform, time) },
]
const ofGames: Strikes<Server> = [
  { rate: 0.3, strike: endGame },
  { rate: 0.2, strike: sayGarbage },
]

const ofStore = (agents: readonly AgentHost[]): Strikes<StoreCluster> => [
  { rate: 0.3, strike: loseStore },
  { rate: 0.3, strike: fillStore },
  { rate: 0.3, strike: loseCommits },
  { rate: 0.5, strike: (store, time) => cutStoreOff(store, agents, time) },
]

/**
 * Breaks a few things in each wave after the storm. Only a few, so that the calm shows what an agent has not repaired.
 *
 * @returns Called when a wave begins.
 */
export function newWaves({
  scheduler,
  random,
  network,
  platform,
  agents,
  servers,
  store,
  hush,
}: WavesParts): (next: AfterWave) => void {
  const time = waveTime(scheduler, random, hush)
  const onceForAgents = ofAgents(platform)
  const strikeAll = <Target>(strikes: Strikes<Target>, target: Target) => {
    for (const { rate, strike, mayStrike = () => true } of strikes)
      if (mayStrike(target) && random.happens(rate)) strike(target, time)
  }
  const strikeOnce = (strikes: Strikes<AgentHost>, agent: AgentHost) =>
    strikes.find(({ rate, mayStrike = () => true }) => mayStrike(agent) && random.happens(rate))?.strike(agent, time)
  return (next) => {
    const isLong = next === 'night' && random.happens(longNightRate)
    if (isLong) sleepForDays(scheduler, agents, time)
    for (const agent of agents) {
      const isScanned = servers.some(({ host, quirks }) => host === agent.host && quirks.isScanned)
      if (next === 'night' && !isLong) random.pick([fillDiskAtNight, stayAwayAtNight, cutPowerAtDawn])(agent, time)
      else if (isScanned && random.happens(lockedRate)) lockFiles(agent, time)
      else strikeOnce(onceForAgents, agent)
      if (next !== 'night') strikeAll(alsoOfAgents, agent)
    }
    strikeAll(ofPlatform, platform)
    strikeAll(ofNetwork(platform), network)
    for (const server of servers) strikeAll(ofGames, server)
    if (store) strikeAll(ofStore(agents), store)
  }
}
