import type { DiskFault } from '../../disk/disk-faults.ts'
import { fullDisk, spoolPaths } from '../../faults/host-faults.ts'
import type { Random } from '../../random.ts'
import type { AgentHost } from '../agent-host.ts'
import { dawnMs, nightMs, waveMs } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Server } from '../server.ts'
import { afterLostStocks, denyEveryTransaction, prepareRefusals } from './platform-strikes.ts'
import { hushOften, hushRate, type WaveTime } from './wave-time.ts'

/** What else a strike on an agent needs. */
interface World {
  readonly platform: ModelPlatform
  readonly servers: readonly Server[]
}

const startedAgainMs = { min: 50, max: 10_000 }
/** Longer than its lease of 15 s, so that another agent takes over. */
const awayMs = { min: 20_000, max: 40_000 }
const stoppedSoonMs = { min: 500, max: 20_000 }
const stoppedSoonRate = 0.3
const refusedAgainRate = 0.2
/** Otherwise an agent ends, or its disk is full, soon after one of `moments`. */
const anyTimeRate = 0.3

/** What an agent left on a slow network must be made good by the next process, or by another agent. */
export function endAgent(agent: AgentHost, time: WaveTime, { platform, servers }: World): void {
  const { random, within, later, atEnd, hush } = time
  const stop = () => agent.restart()
  const kill = () => agent.agent.program.process?.end()
  const end = random.pick([stop, stop, kill, kill, () => agent.host.cutPower(random)])
  const refuseAgain = random.happens(refusedAgainRate) ? prepareRefusals(platform, time) : undefined
  const isStoppedSoon = random.happens(stoppedSoonRate)
  const isHushed = random.happens(hushRate)
  const mayBeTakenOver = !agent.hasOwnStore && random.happens(0.5)
  const isAlone = isStoppedSoon && random.happens(0.5)
  const endAndStart = () => {
    end()
    // A game server that repeats its calls would remind its agent.
    if (isAlone) servers.find(({ host }) => host === agent.host)?.game.process?.end()
    if (isHushed) hush()
    refuseAgain?.()
    later(mayBeTakenOver ? awayMs : startedAgainMs, 'an agent is started again', () => {
      if (isAlone) agent.agent.program.start()
      else agent.host.startAll()
      if (isStoppedSoon) stopAgainSoon(agent, time)
    })
  }
  if (random.happens(anyTimeRate)) within(0, 'an agent ends', endAndStart)
  else {
    const moment = isStoppedSoon ? stockLeaves : random.pick(momentsOf(agent))
    const callOff = soonAfter(moment, agent, time, 'an agent ends', endAndStart)
    atEnd('no agent ends any more', callOff)
  }
}

/** A clean end must not forget what the process before it left. */
function stopAgainSoon(agent: AgentHost, { later }: WaveTime): void {
  later(stoppedSoonMs, 'an agent is stopped and started', () => {
    agent.restart()
    agent.host.startAll()
  })
}

/** Calls of an agent that it makes a few times in a wave. */
interface Moment {
  readonly calls: RegExp
  readonly countMax: number
  /** Which agents make them; all if it is left out. */
  readonly isOf?: (agent: AgentHost) => boolean
}

export const takesFiles = ({ callsBy }: AgentHost) => callsBy === 'files'

const stockLeaves: Moment = { calls: /^PUT platform:443\/v1\/api\/market\/listings$/, countMax: 6 }
const purchaseLeaves: Moment = { calls: /^POST platform:443\/v1\/api\/transactions$/, countMax: 6 }
/** An intent or an answer, which is not in the spool yet. */
const journalIsSynced: Moment = { calls: /^fsync journal\.db$/, countMax: 6 }
/** A start finds the answer now. The game server cannot read it yet. */
const answerIsWritten: Moment = { calls: /^rename \/var\/spool\/outbox\/\.\w+\.tmp$/, countMax: 6, isOf: takesFiles }
/** After each of them there is something that the next process must know, or do, or that a full disk has no room for. */
const moments: readonly Moment[] = [
  purchaseLeaves,
  journalIsSynced,
  stockLeaves,
  answerIsWritten,
  { calls: /^POST platform:443\/v1\/api\/transactions\/\d+\/delivery$/, countMax: 2 },
  { calls: /^POST platform:443\/v1\/api\/transactions\/\d+\/delivery-failure$/, countMax: 1 },
  { calls: /^POST \S+\/orders$/, countMax: 2, isOf: ({ ordersBy }) => ordersBy === 'url' },
  { calls: /^unlink \/var\/spool\/(?:events|replies)\//, countMax: 4, isOf: ({ ordersBy }) => ordersBy === 'files' },
  { calls: /^rename \/var\/spool\/outbox\//, countMax: 6, isOf: takesFiles },
  { calls: /^fsync \/var\/spool\/outbox$/, countMax: 4, isOf: takesFiles },
]
function momentsOf(agent: AgentHost): readonly Moment[] {
  return moments.filter(({ isOf = () => true }) => isOf(agent))
}

/** A file is read in less than a millisecond, and the platform may need a second. */
const soonMs = { min: 0.01, max: 1_000 }

/** Acts soon after an agent has made one of the next calls of a kind. @returns Calls it off. */
function soonAfter(
  { calls, countMax }: Moment,
  { agent }: AgentHost,
  { random, later }: WaveTime,
  what: string,
  act: () => void,
): () => void {
  let callOffAct: (() => void) | undefined
  const end = () => {
    callOffAct = later(soonMs, what, act)
  }
  const callOffWait = agent.program.process?.endAtCall(random.integer(0, countMax - 1), { calls, end })
  return () => {
    callOffWait?.()
    callOffAct?.()
  }
}

function killAndStart({ host, agent }: AgentHost): void {
  agent.program.process?.end()
  host.startAll()
}

/** All together less than the day that the agent is made for. */
const clockJumpMs = { min: 60_000, max: 3_600_000 }

/** What is remembered is as old as before, also for the next process. Only ahead: a clock that is set back changes the order of files. */
export function setClockAhead({ host: { clock } }: AgentHost, { random, within }: WaveTime): void {
  within(0, 'a clock is set ahead', () => clock.setWall(random.magnitude(clockJumpMs.min, clockJumpMs.max)))
}

/** More than a webhook's envelope and the leeway for it. */
const farAheadMs = { min: 400_000, max: clockJumpMs.max }
const powerlessMs = { min: 50, max: 5_000 }
const platformAwayMs = { min: 100, max: 20_000 }

/**
 * The power comes back while the platform is away. The clock of the host is wrong and its game server does not run, so the
 * first thing that can show the time is a webhook.
 */
export function startBeforePlatform(
  { host, agent }: AgentHost,
  { random, within, later, atEnd }: WaveTime,
  { platform: { program: platform } }: World,
): void {
  within(powerlessMs.max + platformAwayMs.max, 'a power cut', () => {
    host.cutPower(random)
    platform.process?.end()
    host.clock.setWall(random.magnitude(farAheadMs.min, farAheadMs.max))
    later(powerlessMs, 'an agent is started alone', () => agent.program.start())
    later(platformAwayMs, 'the platform is there', () => platform.start())
  })
  atEnd('everything is started again', () => host.startAll())
}

const wrongMs = { min: 500, max: 20_000 }

/** A clock is wrong for a while. An answer that is stored after the correction keeps its age in the next process. */
export function correctClock(agent: AgentHost, time: WaveTime): void {
  const { random, within, later, atEnd } = time
  const { clock } = agent.host
  const byMs = random.magnitude(clockJumpMs.min, clockJumpMs.max) * random.pick([1, -1])
  let callOff: (() => void) | undefined
  atEnd('no agent ends after a purchase any more', () => callOff?.())
  within(wrongMs.max, 'a clock is wrong', () => {
    clock.setWall(byMs)
    later(wrongMs, 'a clock is right again', () => {
      clock.setWall(-byMs)
      callOff = soonAfter(purchaseLeaves, agent, time, 'an agent ends and is started again', () => killAndStart(agent))
    })
  })
}

const dayMs = 24 * 3_600_000
const daysMs = { min: 1.01 * dayMs, max: 40 * dayMs }
const resultLeaves: Moment = { calls: /^POST platform:443\/v1\/api\/transactions\/\d+\/delivery/, countMax: 2 }
/** By then an order is in doubt, and the next question about it is still to come. */
const orderInDoubtMs = { min: 3_000, max: 20_000 }
const daysWrongMs = { min: 10_000, max: 30_000 }

/**
 * A clock that is set ahead or back does not end the day for which an order may be in doubt. An agent believes the clock when
 * it starts, so it is not started meanwhile. It may be started in the next wave, so the clock is right again when this wave ends.
 */
export function setClockDaysWrong(agent: AgentHost, time: WaveTime, { platform }: World): void {
  const { random, later, atEnd } = time
  const { clock } = agent.host
  const byMs = random.magnitude(daysMs.min, daysMs.max) * random.pick([1, -1])
  const { startedMs } = agent.agent
  const setRight = () => {
    callOff = () => undefined
    clock.setWall(-byMs)
  }
  const setWrong = () => {
    if (agent.agent.startedMs !== startedMs) return
    clock.setWall(byMs)
    const callOffRight = later(daysWrongMs, 'a clock is right again', setRight)
    callOff = () => {
      callOffRight()
      setRight()
    }
  }
  let callOff = soonAfter(resultLeaves, agent, time, 'the platform does not know what it knows', () => {
    denyEveryTransaction(platform, time)
    callOff = later(orderInDoubtMs, 'a clock is days wrong', setWrong)
  })
  atEnd('no clock is days wrong any more', () => callOff())
}

const lockedMs = { min: 500, max: 5_000 }

const inOutbox = /^\/var\/spool\/outbox\/./

/** Another program has the files open. The agent does by itself later what it could not do meanwhile. */
export function lockFiles({ host: { diskFaults } }: AgentHost, time: WaveTime): void {
  const { random, within, later } = time
  within(lockedMs.max, 'files are locked', () => {
    const ends = [
      diskFaults.add({ calls: ['rename', 'unlink'], codes: ['EBUSY', 'EACCES'], rate: 0.9 }, random),
      // A request that cannot be opened now can be opened soon.
      diskFaults.add({ calls: ['open'], codes: ['EBUSY', 'EACCES'], rate: 0.3, paths: inOutbox }, random),
    ]
    later(lockedMs, 'files are not locked any more', () => {
      for (const end of ends) end()
    })
    // A new file would make the agent look at those that wait.
    hushOften(time)
  })
}

const ofMessages = /^\/var\/spool\/(?:events|replies)\//
const messagesLockedMs = { min: 1_000, max: 20_000 }

/** Another program has messages open. Nobody can remove them when they are over. */
export function lockMessages({ host: { diskFaults } }: AgentHost, { random, within, later }: WaveTime): void {
  within(messagesLockedMs.max, 'messages are locked', () => {
    const unlock = diskFaults.add({ calls: ['unlink'], codes: ['EBUSY', 'EACCES'], rate: 1, paths: ofMessages }, random)
    later(messagesLockedMs, 'messages are not locked any more', unlock)
  })
}

/** Long enough that a second message arrives while the first is being written. */
const slowDisk = { lastsMs: { min: 500, max: 20_000 }, callMsMax: 1_500 }

/** What is being written when the next message arrives is not durable yet. */
export function slowDiskDown({ host: { diskFaults } }: AgentHost, { within, later }: WaveTime): void {
  within(slowDisk.lastsMs.max, 'a disk is slow', () => {
    const speedUp = diskFaults.slowMsMax.add(slowDisk.callMsMax)
    later(slowDisk.lastsMs, 'a disk is not slow any more', speedUp)
  })
}

const asksMuchMs = { min: 500, max: 8_000 }

/** An agent is stopped while much waits for it, and more arrives. Requests that it has claimed and not begun get their names back. */
export function stopWhileBusy(agent: AgentHost, time: WaveTime, { servers }: World): void {
  const { random, within, later } = time
  const quirks = servers.find(({ host }) => host === agent.host)?.quirks
  within(asksMuchMs.max, 'a game server asks for much', () => {
    if (quirks) quirks.asksMuch = true
    later(asksMuchMs, 'an agent is stopped while much waits', () => {
      if (quirks) quirks.asksMuch = false
      agent.restart()
      if (random.happens(0.3)) endWhileNamesGoBack(agent, time)
    })
  })
}

const namesGoBack = /^(?:link|unlink) /
const killedMs = { min: 1_000, max: 5_000 }

function endWhileNamesGoBack({ agent: { program } }: AgentHost, { later, atEnd }: WaveTime): void {
  const { process } = program
  const callOff = process?.endAtCall(0, {
    calls: namesGoBack,
    end() {
      process.end()
      later(killedMs, 'an agent that was stopped is started again', () => program.start())
    },
  })
  // An agent that is just being started does not stop.
  atEnd('an agent that was stopped ends as it should', () => callOff?.())
}

const lockRefusedMs = { min: 2_000, max: 10_000 }
const spoolIsNotRead: DiskFault = {
  ...{ calls: ['readdir'], codes: ['EMFILE', 'ENFILE', 'EIO'], rate: 1 },
  paths: /^\/var\/spool$/,
}

/** An agent starts while it cannot lock its spool. It takes the lock as soon as it can. Then it calls what waits there. */
export function lockSpoolLate(agent: AgentHost, { random, within, later }: WaveTime): void {
  within(lockRefusedMs.max, 'an agent is started and cannot lock its spool', () => {
    later(lockRefusedMs, 'a spool can be locked', agent.host.diskFaults.add(spoolIsNotRead, random))
    killAndStart(agent)
  })
}

const fullMs = { min: 500, max: 8_000 }
/** From the wait for a moment to the hush that may follow. */
const fullForMs = 2 * fullMs.max + 10_000
const restartedRate = 0.3
/** How often a disk gets full while a purchase is under way: its answer must find room. */
const fullInPurchaseRate = 0.4

/**
 * Nothing is lost that was taken, and what could not be written is written later. Sometimes by the next process. A stock that
 * is refused meanwhile changes nothing about those before it.
 */
export function fillDisk(agent: AgentHost, time: WaveTime, { platform }: World): void {
  const { random, later } = time
  const fill = () => {
    const makeRoom = agent.host.diskFaults.add(fullDisk(random), random)
    later(fullMs, 'a disk has room again', () => {
      makeRoom()
      if (random.happens(restartedRate)) killAndStart(agent)
    })
    hushOften(time)
  }
  afterLostStocks(platform, time, fullForMs, 'a disk will be full', () => {
    if (random.happens(anyTimeRate)) return fill()
    const moment = random.happens(fullInPurchaseRate) ? purchaseLeaves : random.pick(momentsOf(agent))
    const callOff = soonAfter(moment, agent, time, 'a disk is full', fill)
    later(fullMs, 'no disk gets full any more', callOff)
  })
}

/** Longer than an answer is remembered, and over before the night is. */
const mostOfNightMs = { min: 10.5 * 60_000, max: nightMs - 5_000 }

/** An agent ends while a purchase is under way. The next process finds a full disk until the ids of its calls have expired. */
export function fillDiskAtNight(struck: AgentHost, time: WaveTime): void {
  const { host, agent } = struck
  const { random, later, atEnd } = time
  // The spool and the databases may be on different disks.
  const fault = random.happens(0.5) ? spoolIsFull(random) : fullDisk(random)
  const callOff = soonAfter(purchaseLeaves, struck, time, 'an agent ends, and its disk is full', () => {
    agent.program.process?.end()
    const makeRoom = host.diskFaults.add(fault, random)
    later(startedAgainMs, 'an agent is started on a full disk', () => host.startAll())
    later(mostOfNightMs, 'a disk has room again', makeRoom)
  })
  atEnd('no disk gets full any more', callOff)
}

const spoolIsFull = (random: Random) => ({ ...fullDisk(random), paths: spoolPaths })

/**
 * The answer to a purchase finds no room for longer than an answer is remembered. The agent must remember this one, because
 * nobody has read it. The agent ends before it can write it.
 */
export function fillSpoolAtNight(struck: AgentHost, time: WaveTime): void {
  const { host } = struck
  const { random, later, atEnd } = time
  const callOff = soonAfter(purchaseLeaves, struck, time, 'a spool is full', () => {
    const makeRoom = host.diskFaults.add(spoolIsFull(random), random)
    later(mostOfNightMs, 'an agent ends, and its spool has room again', () => {
      struck.agent.program.process?.end()
      makeRoom()
      host.startAll()
    })
  })
  atEnd('no spool gets full any more', callOff)
}

/** An agent ends in the middle of something. Nobody starts it again until the ids of its calls have expired. */
export function stayAwayAtNight(struck: AgentHost, time: WaveTime): void {
  const { host, agent } = struck
  const { random, later, atEnd } = time
  const moment = random.pick([purchaseLeaves, journalIsSynced, ...(takesFiles(struck) ? [answerIsWritten] : [])])
  const callOff = soonAfter(moment, struck, time, 'an agent ends for the night', () => {
    agent.program.process?.end()
    later(mostOfNightMs, 'an agent is started again', () => host.startAll())
  })
  atEnd('no agent ends any more', callOff)
}

/** A claim, of an id that may have been used before the night. */
const fileIsClaimed: Moment = { calls: /^rename \/var\/spool\/outbox\//, countMax: 4 }
const dawnBegins = waveMs + nightMs

/** What the journal has forgotten since the night must not come back. */
export function cutPowerAtDawn(struck: AgentHost, time: WaveTime): void {
  const { host } = struck
  const { random, later } = time
  const cut = () => {
    host.cutPower(random)
    later(startedAgainMs, 'a host has power again', () => host.startAll())
  }
  later({ min: dawnBegins, max: dawnBegins + dawnMs / 2 }, 'a host may lose its power', () => {
    const callOff = soonAfter(fileIsClaimed, struck, time, 'a power cut', cut)
    later({ min: dawnMs / 4, max: dawnMs / 3 }, 'no host loses its power any more', callOff)
  })
}
