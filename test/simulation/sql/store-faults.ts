import type { FaultKind } from '../faults/fault.ts'
import type { Program } from '../host.ts'
import type { Random } from '../random.ts'
import type { StoreCluster } from './store-cluster.ts'

/** What these faults strike. */
export interface StoreTargets {
  /** Undefined where agents share none. */
  readonly store: StoreCluster | undefined
  readonly hosts: readonly { readonly name: string }[]
  readonly agents: readonly { readonly program: Program }[]
}

const secondMs = 1_000
const minuteMs = 60 * secondMs

/** What goes wrong with the store that agents share, and on the way to it. */
export const storeFaults: readonly FaultKind<StoreTargets>[] = [
  { part: 'store', name: 'killed', lastsMs: [10, minuteMs], strike: atStore(kill) },
  { part: 'store', name: 'loses what was not synced', lastsMs: [50, 3 * secondMs], strike: atStore(loseUnsynced) },
  { part: 'store', name: 'fails over', lastsMs: [100, minuteMs], strike: atStore(failOver) },
  { part: 'store', name: 'paused', lastsMs: [10, minuteMs], strike: atStore(pause) },
  { part: 'store', name: 'ends all sessions', lastsMs: [1, 1], strike: atStore(endSessions) },
  { part: 'store', name: 'cut off from a host', lastsMs: [secondMs, 2 * minuteMs], strike: atStore(cutOff) },
  { part: 'store', name: 'full', lastsMs: [10, minuteMs], strike: atStore(fill) },
  { part: 'store', name: 'loses answers to commits', lastsMs: [secondMs, minuteMs], strike: atStore(loseAnswers) },
  { part: 'store', name: 'slow', lastsMs: [secondMs, minuteMs], strike: atStore(slowDown) },
  {
    part: 'store',
    name: 'an agent is paused past its lease',
    lastsMs: [12 * secondMs, minuteMs],
    strike: atStore(pauseAgent),
  },
]

type Strike = (store: StoreCluster, random: Random, targets: StoreTargets) => () => void

function atStore(strike: Strike): FaultKind<StoreTargets>['strike'] {
  return (targets, random) => targets.store && strike(targets.store, random, targets)
}

function kill(store: StoreCluster) {
  store.crash()
  return () => store.start()
}

function loseUnsynced(store: StoreCluster) {
  store.delaySyncs()
  return () => {
    store.crash()
    store.start()
  }
}

/** The standby is promoted at the end. It does not have the commits that were not synced. */
function failOver(store: StoreCluster, random: Random) {
  if (random.happens(0.5)) store.delaySyncs()
  else store.crash()
  return () => store.failOver()
}

function pause(store: StoreCluster) {
  const process = store.server?.process
  process?.pause()
  return () => process?.resume()
}

function endSessions(store: StoreCluster) {
  store.server?.endAll()
  return () => undefined
}

function cutOff(store: StoreCluster, random: Random, { hosts }: StoreTargets) {
  return store.network.wayOf(random.pick(hosts).name).cut()
}

function fill(store: StoreCluster) {
  return store.fill()
}

function loseAnswers(store: StoreCluster) {
  return store.loseAnswers()
}

/** Slower than a statement may take. */
function slowDown(store: StoreCluster, random: Random) {
  return store.network.slowMsMax.add(random.magnitude(50, 10 * secondMs))
}

/** In the middle of something. */
function pauseAgent(_: StoreCluster, random: Random, { agents }: StoreTargets) {
  const { process } = random.pick(agents).program
  return process?.pauseAtCall(random.integer(0, 40)) ?? (() => undefined)
}
