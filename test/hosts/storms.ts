import { ReplicatedServer } from '../agent/fixtures/replicated-server.ts'
import type { Random } from '../simulation/random.ts'
import { startCrashableServer } from '../simulation/stores/postgres-on-disk.ts'
import { type Fault, failOver, faultsOver, pickKill } from './faults.ts'
import type { Host } from './host.ts'

/** What fails, over which store, and until when. */
export interface Storm extends AsyncDisposable {
  /** Of the server that accepts writes now. */
  readonly port: number
  /** Of all servers of the store. */
  readonly ports: readonly [number, ...number[]]
  /** The next fault; undefined when the storm is over. */
  next(hosts: readonly Host[], random: Random): Fault | undefined
}

/** All kinds of faults for a time, over a server that can lose its power. */
export async function startMixedStorm(ms: number): Promise<Storm> {
  const server = await startCrashableServer()
  await server.holdBackWrites()
  const faults = faultsOver(server)
  let endMs: number | undefined
  return {
    port: server.port,
    ports: [server.port],
    next(_, random) {
      endMs ??= performance.now() + ms
      return performance.now() < endMs ? random.pick(faults) : undefined
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Agents are killed, and the store fails over to its replica, until both goals are reached. */
export async function startFailoverStorm(goal: { readonly kills: number; readonly failovers: number }): Promise<Storm> {
  const server = await ReplicatedServer.start()
  const fault = failOver(server)
  let failovers = 0
  return {
    get port() {
      return server.port
    },
    ports: server.ports,
    next(hosts, random) {
      const kills = hosts.reduce((sum, host) => sum + host.kills, 0)
      const [killsLeft, failoversLeft] = [goal.kills - kills, goal.failovers - failovers]
      if (killsLeft <= 0 && failoversLeft <= 0) return undefined
      // Both goals are reached at about the same time.
      if (failoversLeft * goal.kills <= killsLeft * goal.failovers) return pickKill(random)
      failovers++
      return fault
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
