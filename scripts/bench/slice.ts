import type { KeyObject } from 'node:crypto'
import type { Load, LoadOrder } from './closed-loop.ts'
import { cpuSecondsOf } from './process-cpu.ts'
import { measureInPlace } from './signature-speed.ts'
import type { Testbed } from './testbed.ts'
import type { Way } from './ways.ts'

/** One way under load, for a moment. */
export interface Slice extends Load {
  /** S, the CPU µs of a signature in place, directly before and after: the machine's speed moves within a second. */
  readonly signatureUs: number
  /** CPU of the signing process; null where it cannot be read. */
  readonly cpuS: number | null
  /** CPU of the load generator; in (d) that is the signing process itself. */
  readonly clientCpuS: number
}

const warmUpS = 0.1
const signatureProbeS = 0.04

/**
 * Warms up, measures, and proves it: the platform accepted exactly the calls that were answered, and refused none.
 *
 * @throws {Error} A call was refused or not sent, by whoever. A speed with such calls in it would be false.
 */
export async function measureSlice(way: Way, order: LoadOrder, testbed: Testbed): Promise<Slice> {
  const countsBefore = await testbed.counts()
  const { slice, answered } = await measureLoaded(way, order, testbed.signingKey)
  const { accepted, refused, lastRefusal } = await testbed.counts()
  if (refused > countsBefore.refused) throw new Error(`The platform refused a call of (${way.letter}): ${lastRefusal}`)
  const arrived = accepted - countsBefore.accepted
  if (arrived !== answered) throw new Error(`(${way.letter}) answered ${answered} calls; the platform saw ${arrived}`)
  return slice
}

/** What can be loaded and measured. */
export interface Loadable<Order> {
  readonly pid: number
  readonly load: (order: Order) => Promise<Load>
}

/** Warms up and measures whatever it is. `answered` counts the warming up too. */
export async function measureLoaded<Order extends { readonly seconds: number }>(
  loadable: Loadable<Order>,
  order: Order,
  signingKey: KeyObject,
): Promise<{ slice: Slice; answered: number }> {
  const signatureBefore = await measureInPlace(signingKey, signatureProbeS)
  const warmUp = await loadable.load({ ...order, seconds: warmUpS })

  const cpuBeforeS = cpuSecondsOf(loadable.pid)
  const clientBefore = process.cpuUsage()
  const load = await loadable.load(order)
  const client = process.cpuUsage(clientBefore)
  const cpuAfterS = cpuSecondsOf(loadable.pid)

  const signatureAfter = await measureInPlace(signingKey, signatureProbeS)
  const slice = {
    ...load,
    signatureUs: (signatureBefore.cpuUs + signatureAfter.cpuUs) / 2,
    cpuS: cpuBeforeS === null || cpuAfterS === null ? null : cpuAfterS - cpuBeforeS,
    clientCpuS: (client.user + client.system) / 1e6,
  }
  return { slice, answered: warmUp.latenciesMs.length + load.latenciesMs.length }
}
