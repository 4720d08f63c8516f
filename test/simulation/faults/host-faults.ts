import type { DiskFault } from '../disk/disk-faults.ts'
import type { ModelHost } from '../host.ts'
import type { Random } from '../random.ts'
import type { FaultKind } from './fault.ts'

/** What these faults strike. */
export interface HostTargets {
  readonly hosts: readonly ModelHost[]
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

const making = ['create', 'write', 'mkdir', 'link']
const moving = ['rename', 'unlink', 'link']
/** The agent's databases, which may be on a disk of their own. */
const databases = /^(?:journal|orders)\.db$/
/** The whole spool. */
export const spoolPaths = /^\/var\/spool\//

/** Requests, and what the agent makes of them. The names of files that a game server is writing begin with a dot too. */
const ofRequests = /^\/var\/spool\/outbox\/(?:[^./]|.*\.tmp$)/

/**
 * A disk may have room for a name, and none for what is written under it. The databases and the spool may be on disks of their
 * own.
 */
export function fullDisk(random: Random): DiskFault {
  const full = { calls: random.pick([making, ['write']]), codes: ['ENOSPC', 'EDQUOT'], rate: 1 }
  return random.pick([
    full,
    full,
    { ...full, paths: databases },
    { ...full, paths: databases },
    { ...full, paths: spoolPaths },
  ])
}

const everyCall = [...making, ...moving, 'open', 'read', 'readdir', 'stat', 'lstat', 'fsync']

/** What goes wrong with the processes, disks and clocks of a host. */
export const hostFaults: readonly FaultKind<HostTargets>[] = [
  { part: 'process', name: 'killed between two events', lastsMs: [50, 5 * minuteMs], strike: killProcess },
  { part: 'process', name: 'killed at a call', lastsMs: [50, minuteMs], strike: killAtCall(25) },
  {
    part: 'process',
    name: 'killed while names change',
    lastsMs: [50, minuteMs],
    strike: killAtCall(6, /^(?:rename|unlink) /),
  },
  { part: 'process', name: 'paused', lastsMs: [5, 5 * minuteMs], strike: pauseProcess },
  { part: 'process', name: 'power cut', lastsMs: [secondMs, 2 * minuteMs], strike: cutPower },
  { part: 'process', name: 'power cut at a call', lastsMs: [secondMs, 2 * minuteMs], strike: cutPowerAtCall },
  { part: 'process', name: 'power cut on a slow disk', lastsMs: [5 * secondMs, minuteMs], strike: cutPowerOnSlowDisk },
  {
    part: 'disk',
    name: 'full',
    lastsMs: [10, minuteMs],
    strike: ({ hosts }, random) => random.pick(hosts).diskFaults.add(fullDisk(random), random),
  },
  {
    part: 'disk',
    name: 'EIO once',
    lastsMs: [minuteMs, minuteMs],
    strike: failing({ calls: everyCall, codes: ['EIO'], rate: 0.1, times: 1 }),
  },
  {
    part: 'disk',
    name: 'EIO for good',
    lastsMs: [secondMs, 2 * minuteMs],
    strike: failing({ calls: everyCall, codes: ['EIO'], rate: 1 }),
  },
  {
    part: 'disk',
    name: 'rename and unlink refused',
    lastsMs: [5, 10 * secondMs],
    strike: failing({ calls: moving, codes: ['EPERM', 'EBUSY', 'EACCES'], rate: 0.9 }),
  },
  {
    part: 'disk',
    name: 'renames and unlinks, and says that it failed',
    lastsMs: [5, 10 * secondMs],
    strike: failing({ calls: moving, codes: ['EIO', 'EBUSY', 'EACCES'], rate: 0.5, isMade: true, paths: ofRequests }),
  },
  {
    part: 'disk',
    name: 'too many open files',
    lastsMs: [5, 10 * secondMs],
    strike: failing({ calls: ['open', 'create', 'readdir'], codes: ['EMFILE', 'ENFILE'], rate: 0.7 }),
  },
  { part: 'disk', name: 'slow', lastsMs: [secondMs, minuteMs], strike: slowDown },
  { part: 'disk', name: 'directory removed', lastsMs: [10, minuteMs], strike: removeDirectory },
  {
    part: 'disk',
    name: 'directory removed soon after a change',
    lastsMs: [secondMs, 5 * minuteMs],
    strike: removeDirectoryAfterChange,
  },
  { part: 'clock', name: 'offset', lastsMs: [10, 10 * minuteMs], strike: setClockFor },
  { part: 'clock', name: 'jump', lastsMs: [1, 1], strike: setClock },
  { part: 'clock', name: 'drift', lastsMs: [minuteMs, 30 * minuteMs], strike: driftClock },
  { part: 'clock', name: 'late timers', lastsMs: [secondMs, minuteMs], strike: delayTimers },
]

function programOf({ hosts }: HostTargets, random: Random) {
  return random.pick(hosts.flatMap(({ programs }) => programs))
}

function killProcess(targets: HostTargets, random: Random) {
  const program = programOf(targets, random)
  program.process?.end()
  return () => program.start()
}

/** @param calls Which calls count; those that change something if they are left out. */
function killAtCall(callsMax: number, calls?: RegExp) {
  return (targets: HostTargets, random: Random) => {
    const program = programOf(targets, random)
    const { process } = program
    process?.endAtCall(random.integer(0, callsMax), calls && { calls })
    return () => {
      process?.end()
      program.start()
    }
  }
}

function pauseProcess(targets: HostTargets, random: Random) {
  const { process } = programOf(targets, random)
  process?.pause()
  return () => process?.resume()
}

function cutPower({ hosts }: HostTargets, random: Random) {
  const host = random.pick(hosts)
  host.cutPower(random)
  return () => host.startAll()
}

/** Several changes wait for the disk at once. */
function cutPowerOnSlowDisk({ hosts }: HostTargets, random: Random) {
  const host = random.pick(hosts)
  const speedUp = host.diskFaults.slowMsMax.add(random.magnitude(50, 5 * secondMs))
  host.cutPowerLater(random.between(0, 5 * secondMs), random)
  return () => {
    speedUp()
    host.startAll()
  }
}

function cutPowerAtCall({ hosts }: HostTargets, random: Random) {
  const host = random.pick(hosts)
  const { process } = random.pick(host.programs)
  process?.endAtCall(random.integer(0, 25), { end: () => host.cutPower(random) })
  return () => {
    process?.end()
    host.startAll()
  }
}

function failing(fault: DiskFault) {
  return ({ hosts }: HostTargets, random: Random) => random.pick(hosts).diskFaults.add(fault, random)
}

function slowDown({ hosts }: HostTargets, random: Random) {
  return random.pick(hosts).diskFaults.slowMsMax.add(random.magnitude(50, 20 * secondMs))
}

function removeDirectory({ hosts }: HostTargets, random: Random) {
  const host = random.pick(hosts)
  if (host.removableDirs.length > 0) host.removeDir(random.pick(host.removableDirs))
  return () => undefined
}

/**
 * Removes a directory soon after a file in one of them has changed: in the middle of something that somebody does with both.
 *
 * @returns Waits no longer for a change.
 */
export function removeDirectoryAfterChange({ hosts }: HostTargets, random: Random) {
  const host = random.pick(hosts)
  const { disk, removableDirs } = host
  const [changed, removed] = removableDirs.length > 0 ? [random.pick(removableDirs), random.pick(removableDirs)] : []
  if (changed === undefined || removed === undefined || !disk.find(changed, 'watch')) return () => undefined
  const stop = disk.watch(changed, () => {
    stop()
    host.removeDir(removed, random.magnitude(1, 3 * secondMs))
  })
  return stop
}

function setClockFor(targets: HostTargets, random: Random) {
  const { clock } = random.pick(targets.hosts)
  const byMs = offsetMs(random)
  clock.setWall(byMs)
  return () => clock.setWall(-byMs)
}

function setClock(targets: HostTargets, random: Random) {
  random.pick(targets.hosts).clock.setWall(offsetMs(random))
  return () => undefined
}

/** From a second to two hours, in either direction: all together less than a day, which the agent is made for. */
function offsetMs(random: Random): number {
  return random.magnitude(secondMs, 2 * hourMs) * random.pick([1, -1])
}

function driftClock({ hosts }: HostTargets, random: Random) {
  const { clock } = random.pick(hosts)
  clock.drift(random.between(-500, 500))
  return () => clock.drift(0)
}

function delayTimers({ hosts }: HostTargets, random: Random) {
  return random.pick(hosts).clock.lateMsMax.add(random.magnitude(10, 20 * secondMs))
}
