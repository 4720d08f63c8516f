import type { Network } from '../network/network.ts'
import type { NetworkFault } from '../network/network-faults.ts'
import type { Random } from '../random.ts'
import type { FaultKind } from './fault.ts'

/** What these faults strike. */
export interface NetworkTargets {
  readonly network: Network
}

const secondMs = 1_000
const minuteMs = 60 * secondMs

/** What goes wrong between processes. */
export const networkFaults: readonly FaultKind<NetworkTargets>[] = [
  { part: 'network', name: 'refuses', lastsMs: [10, 2 * minuteMs], strike: failing('refused') },
  {
    part: 'network',
    name: 'resets before it arrives',
    lastsMs: [10, minuteMs],
    strike: failing('reset before it arrives'),
  },
  {
    part: 'network',
    name: 'resets after it arrived',
    lastsMs: [10, minuteMs],
    strike: failing('reset after it arrived'),
  },
  { part: 'network', name: 'drops requests', lastsMs: [10, 2 * minuteMs], strike: failing('request dropped') },
  { part: 'network', name: 'drops answers', lastsMs: [10, minuteMs], strike: failing('answer dropped') },
  { part: 'network', name: 'duplicates', lastsMs: [secondMs, minuteMs], strike: failing('request duplicated') },
  { part: 'network', name: 'cuts answers off', lastsMs: [10, minuteMs], strike: failing('answer cut off') },
  { part: 'network', name: 'replaces answers', lastsMs: [10, minuteMs], strike: failing('answer replaced') },
  { part: 'network', name: 'mixes answers up', lastsMs: [10, minuteMs], strike: failing('answer of another') },
  {
    part: 'network',
    name: 'an intermediary answers',
    lastsMs: [10, minuteMs],
    strike: failing('answer of an intermediary'),
  },
  {
    part: 'network',
    name: 'an intermediary gives up',
    lastsMs: [10, minuteMs],
    strike: failing('intermediary gives up'),
  },
  { part: 'network', name: 'wrong date', lastsMs: [secondMs, 5 * minuteMs], strike: failing('wrong date') },
  { part: 'network', name: 'slow', lastsMs: [secondMs, 2 * minuteMs], strike: slowDown },
]

function failing(fault: NetworkFault) {
  return ({ network }: NetworkTargets, random: Random) => {
    const address = random.pick([undefined, ...network.addresses])
    return network.faults.add({ fault, address, rate: random.pick([0.1, 0.4, 1]), random })
  }
}

/** Slow enough that requests overtake each other, and arrive after their sender has given up. */
function slowDown({ network }: NetworkTargets, random: Random) {
  return network.faults.slowMsMax.add(random.magnitude(secondMs, minuteMs))
}
