import type { FaultKind } from '../faults/fault.ts'
import type { Random } from '../random.ts'
import type { StoreCluster } from './store-cluster.ts'

/** What these faults strike. */
export interface StoreTargets {
  /** Undefined where agents share none. */
  readonly store: StoreCluster | undefined
  readonly hosts: readonly { readonly name: string }[]
}

const secondMs = 1_000
const minuteMs = 60 * secondMs

/** What goes wrong with the store that agents share, and on the way to it. */
export const storeFaults: readonly FaultKind<StoreTargets>[] = [
  { part: 'store', name: 'killed', lastsMs: [10, minuteMs], strike: kill },
  { part: 'store', name: 'loses what was not synced', lastsMs: [50, 3 * secondMs], strike: loseUnsynced },
  { part: 'store', name: 'fails over', lastsMs: [100, minuteMs], strike: failOver },
  { part: 'store', name: 'paused', lastsMs: [10, minuteMs], strike: pause },
  { part: 'store', name: 'ends all sessions', lastsMs: [1, 1], strike: endSessions },
  { part: 'store', name: 'cut off from a host', lastsMs: [10, 2 * minuteMs], strike: cutOff },
  { part: 'store', name: 'slow', lastsMs: [secondMs, minuteMs], strike: slowDown },
]

const nothing = () => undefined

function kill({ store }: StoreTargets) {
  store?.crash()
  return () => store?.start()
}

function loseUnsynced({ store }: StoreTargets) {
  store?.delaySyncs()
  return () => {
    store?.crash()
    store?.start()
  }
}

/** The standby is promoted at the end. It does not have the commits that were not synced. */
function failOver({ store }: StoreTargets, random: Random) {
  if (random.happens(0.5)) store?.delaySyncs()
  else store?.crash()
  return () => store?.failOver()
}

function pause({ store }: StoreTargets) {
  const process = store?.server?.process
  process?.pause()
  return () => process?.resume()
}

function endSessions({ store }: StoreTargets) {
  store?.server?.endAll()
  return nothing
}

function cutOff({ store, hosts }: StoreTargets, random: Random) {
  return store?.network.wayOf(random.pick(hosts).name).cut() ?? nothing
}

/** Slower than a statement may take. */
function slowDown({ store }: StoreTargets, random: Random) {
  return store?.network.slowMsMax.add(random.magnitude(50, 10 * secondMs)) ?? nothing
}
