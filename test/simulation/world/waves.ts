import { fullDisk, removeDirectoryAfterChange } from '../faults/host-faults.ts'
import type { Random } from '../random.ts'
import { type Scheduler, worldActor } from '../scheduler.ts'
import type { AgentHost } from './agent-host.ts'
import { nightMs, waveMs } from './day.ts'
import type { ModelPlatform } from './model-platform.ts'
import type { Server } from './server.ts'

interface WavesParts {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly platform: ModelPlatform
  readonly agents: readonly AgentHost[]
  readonly servers: readonly Server[]
}

/** Longer than the file of an order may be acted on. */
const gameAwayMsMax = 240_000
const startedAgainMs = { min: 50, max: 10_000 }
const stoppedSoonMs = { min: 500, max: 20_000 }
const aheadMs = { min: 60_000, max: 7_200_000 }
const lockedMs = { min: 500, max: 5_000 }
/** Long enough that a second message arrives while the first is being written. */
const slowDisk = { lastsMs: { min: 500, max: 20_000 }, callMsMax: 1_500 }
const fullMs = { min: 500, max: 8_000 }
/** Longer than an answer is remembered. */
const fullAtNightMs = { min: 10.5 * 60_000, max: nightMs - 5_000 }
const purchase = /^POST platform:443\/v1\/api\/transactions$/
const betweenSendingAndAnswerMs = { min: 1, max: 1_000 }
/** Mostly longer than the shorter deadline of a call. */
const platformAwayMs = { min: 5_000, max: waveMs / 2 }
/** For how long the platform may not know transactions that it knows. */
const unknowingMs = { min: 5_000, max: 40_000 }
const unknown = { kind: 'status', status: 404 } as const
const putOff = { kind: 'status', status: 429, retryAfterSeconds: 86_400 } as const
const results = ['transaction.delivery', 'transaction.delivery-failure'] as const
const aboutTransactions = ['transaction.get', ...results] as const
const wave = worldActor('wave')

/**
 * Breaks a few things in each wave after the storm. Only a few, so that the calm shows what an agent has not repaired.
 *
 * @returns Called when a wave begins.
 */
export function newWaves({ scheduler, random, platform, agents, servers }: WavesParts): (isNightNext: boolean) => void {
  /** Some time in the wave: early enough for what lasts at most so long. */
  const within = (lastsMs: number, what: string, act: () => void) =>
    scheduler.after(random.between(0, waveMs - lastsMs), wave, what, act)
  const later = (ms: { readonly min: number; readonly max: number }, what: string, act: () => void) =>
    scheduler.after(random.magnitude(ms.min, ms.max), wave, what, act)

  /** What an agent left on a slow network must be made good by the next process, or by another agent. */
  const endings: readonly ((agent: AgentHost) => void)[] = [
    (agent) => agent.restart(),
    ({ agent }) => agent.program.process?.end(),
    ({ host }) => host.cutPower(random),
  ]
  function endAgent(agent: AgentHost): void {
    const end = random.pick(endings)
    within(0, 'an agent ends', () => {
      end(agent)
      later(startedAgainMs, 'an agent is started again', () => {
        agent.host.startAll()
        // A clean end must not forget what the process before it left.
        if (random.happens(0.4)) later(stoppedSoonMs, 'an agent is stopped and started', () => agent.restart())
      })
    })
  }
  /** What is remembered is as old as before, also for the next process. */
  function setClockAhead({ host: { clock } }: AgentHost): void {
    within(0, 'a clock is set ahead', () => clock.setWall(random.magnitude(aheadMs.min, aheadMs.max)))
  }
  /** Another program has the files open. The agent does by itself later what it could not do meanwhile. */
  function lockFiles({ host: { diskFaults } }: AgentHost): void {
    within(lockedMs.max, 'files are locked', () => {
      const unlock = diskFaults.add({ calls: ['rename', 'unlink'], codes: ['EBUSY', 'EACCES'], rate: 0.9 }, random)
      later(lockedMs, 'files are not locked any more', unlock)
    })
  }
  /** What is being written when the next message arrives is not durable yet. */
  function slowDiskDown({ host: { diskFaults } }: AgentHost): void {
    within(slowDisk.lastsMs.max, 'a disk is slow', () => {
      const speedUp = diskFaults.slowMsMax.add(slowDisk.callMsMax)
      later(slowDisk.lastsMs, 'a disk is not slow any more', speedUp)
    })
  }
  /** Nothing is lost that was taken, and what could not be written is written later. Sometimes by the next process. */
  function fillDisk(agent: AgentHost): void {
    const { diskFaults } = agent.host
    within(fullMs.max, 'a disk is full', () => {
      const makeRoom = diskFaults.add(fullDisk(random), random)
      later(fullMs, 'a disk has room again', () => {
        makeRoom()
        if (random.happens(0.7)) return
        agent.agent.program.process?.end()
        agent.host.startAll()
      })
    })
  }
  /** The next process finds a full disk, until the windows of ids have ended. */
  function fillDiskAtNight({ host, agent }: AgentHost): void {
    const fault = { ...fullDisk(random), ...random.pick([{ paths: /^\/var\/spool\// }, {}]) }
    const end = () => {
      agent.program.process?.end()
      const makeRoom = host.diskFaults.add(fault, random)
      later(startedAgainMs, 'an agent is started on a full disk', () => host.startAll())
      scheduler.after(random.between(fullAtNightMs.min, fullAtNightMs.max), wave, 'a disk has room again', makeRoom)
    }
    const endSoon = () => void later(betweenSendingAndAnswerMs, 'an agent ends, and its disk is full', end)
    const callOff = agent.program.process?.endAtCall(random.integer(0, 5), { calls: purchase, end: endSoon })
    scheduler.after(waveMs, wave, 'no disk gets full any more', () => callOff?.())
  }
  function repeatWebhooks(): void {
    within(0, 'webhooks come twice', () =>
      platform.composed.faults.webhook.add({ kind: 'duplicate', copies: 2, times: random.integer(1, 5) }),
    )
  }
  /** An order that a platform does not know now may still be open, and no platform needs a day. */
  function misanswer(): void {
    const { partner } = platform.composed.faults
    const faults = random.happens(0.3)
      ? results.map((operation) => ({ ...putOff, operation }))
      : aboutTransactions.map((operation) => ({ ...unknown, operation }))
    within(unknowingMs.max, 'the platform does not know what it knows', () => {
      for (const fault of faults) partner.add({ ...fault, times: random.integer(1, 5) })
      later(unknowingMs, 'the platform knows again what it knows', () => partner.clear())
    })
  }
  /** The event must be shown again, and its reply be asked for again. */
  function sayGarbage({ host, quirks }: Server): void {
    quirks.saysGarbage = true
    const stopWatching = removeDirectoryAfterChange({ hosts: [host] }, random)
    scheduler.after(waveMs, wave, 'a game server says nothing wrong any more', () => {
      quirks.saysGarbage = false
      stopWatching()
    })
  }
  /** What waits for the game server must be shown again, and stay fresh. */
  function endGame({ game, host }: Server): void {
    within(0, 'a game server ends', () => {
      game.process?.end()
      if (random.happens(0.5)) host.removeDir(random.pick(host.removableDirs), random.between(0, waveMs))
      later({ min: waveMs, max: gameAwayMsMax }, 'a game server is started again', () => game.start())
    })
  }
  /** Calls are refused without an effect. */
  function endPlatform(): void {
    within(platformAwayMs.max, 'the platform ends', () => {
      platform.program.process?.end()
      later(platformAwayMs, 'the platform is started again', () => platform.program.start())
    })
  }
  function strikeAgent(agent: AgentHost): void {
    const isScanned = servers.some(({ host, quirks }) => host === agent.host && quirks.isScanned)
    if (isScanned && random.happens(0.6)) lockFiles(agent)
    // A stop needs a healthy disk.
    else if (random.happens(0.35)) fillDisk(agent)
    else if (random.happens(0.5)) endAgent(agent)
    if (random.happens(0.3)) slowDiskDown(agent)
    if (random.happens(0.1)) setClockAhead(agent)
  }
  const ofGames = [
    { rate: 0.3, strike: endGame },
    { rate: 0.2, strike: sayGarbage },
  ]
  const ofPlatform = [
    { rate: 0.5, strike: repeatWebhooks },
    { rate: 0.25, strike: misanswer },
    { rate: 0.35, strike: endPlatform },
  ]
  return (isNightNext) => {
    for (const agent of agents)
      if (isNightNext) fillDiskAtNight(agent)
      else strikeAgent(agent)
    for (const { rate, strike } of ofPlatform) if (random.happens(rate)) strike()
    for (const server of servers) for (const { rate, strike } of ofGames) if (random.happens(rate)) strike(server)
  }
}
