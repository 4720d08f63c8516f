import { setTimeout as wait } from 'node:timers/promises'
import type { CuttableProxy } from '../agent/fixtures/cuttable-proxy.ts'
import type { ReplicatedServer } from '../agent/fixtures/replicated-server.ts'
import type { Random } from '../simulation/random.ts'
import type { CrashableServer } from '../simulation/stores/postgres-on-disk.ts'
import type { Host } from './host.ts'

/** Where a fault happens. */
export interface FaultPlace {
  readonly hosts: readonly Host[]
  readonly random: Random
  /** Gets the time from each death to the take-over, ms. */
  readonly takeoversMs: number[]
}

/** A fault of real hosts. It is healed when it resolves. */
export interface Fault {
  readonly name: string
  readonly happen: (place: FaultPlace) => Promise<void>
}

/** A death that nobody took over from is measured as this long, which is too long. */
const takeoverMsMax = 25_000
const any = ({ hosts, random }: FaultPlace): Host => random.pick(hosts)

/** An agent is cut off from the store in one of the ways in which networks fail. */
function cutOff(name: string, cut: (proxy: CuttableProxy) => void): Fault {
  return {
    name,
    async happen(place) {
      const { proxies } = any(place)
      for (const proxy of proxies) cut(proxy)
      await wait(place.random.integer(200, 20_000))
      for (const proxy of proxies) proxy.heal()
    },
  }
}

const die: Fault = {
  name: 'a host dies until another agent has taken over',
  async happen(place) {
    const dead = any(place)
    const takeovers = () => place.hosts.reduce((sum, host) => sum + host.takeoversFrom(dead.name), 0)
    await dead.alive()
    const before = takeovers()
    const startMs = performance.now()
    const passedMs = () => Math.round(performance.now() - startMs)
    const takenOver = async () => {
      while (takeovers() === before && passedMs() < takeoverMsMax) await wait(100)
    }
    await dead.kill(takenOver())
    place.takeoversMs.push(passedMs())
  },
}

/** The agent did some work before, so that there is something to interrupt. */
const killQuickly: Fault = {
  name: 'an agent is killed and started again at once',
  async happen(place) {
    const host = any(place)
    await host.alive()
    await wait(place.random.integer(0, 1_500))
    await host.kill()
  },
}

const killAll: Fault = {
  name: 'all agents are killed at the same moment and started again',
  async happen({ hosts, random }) {
    await Promise.all(hosts.map((host) => host.alive()))
    await wait(random.integer(0, 1_500))
    await Promise.all(hosts.map((host) => host.kill()))
  },
}

/** Of agents, of their ways to the store, and of the store. Each is as likely as the others. */
export function faultsOver(server: CrashableServer): readonly Fault[] {
  return [
    killQuickly,
    die,
    { name: 'an agent is paused', happen: (place) => any(place).pause(place.random.integer(100, 9_000)) },
    {
      name: 'an agent is paused for longer than a lease',
      happen: (place) => any(place).pause(place.random.integer(16_000, 22_000)),
    },
    cutOff('connections to the store are reset', (proxy) => proxy.cut()),
    cutOff('the way to the store is silent', (proxy) => proxy.silence()),
    cutOff('answers of the store are lost', (proxy) => proxy.loseAnswers()),
    { name: 'the store loses power', happen: () => server.cutPower() },
    { name: 'nothing', happen: ({ random }) => wait(random.integer(1_000, 4_000)) },
  ]
}

/** Kills of agents. One in twenty lasts longer than a lease. */
export function pickKill(random: Random): Fault {
  const n = random.integer(1, 20)
  if (n === 1) return die
  return n <= 4 ? killAll : killQuickly
}

/** The primary dies, and the replica takes its place. In every second one, an agent dies at about the same moment. */
export function failOver(server: ReplicatedServer): Fault {
  return {
    name: 'the store fails over',
    async happen(place) {
      const { hosts, random } = place
      await Promise.all(hosts.map((host) => host.alive()))
      await wait(random.integer(0, 1_500))
      const victim = random.integer(0, 1) === 0 ? any(place) : undefined
      const killed = victim && wait(random.integer(0, 1_000)).then(() => victim.kill())
      await wait(random.integer(0, 500))
      await server.killPrimary()
      await wait(random.pick([0, random.integer(0, 2_000), random.integer(2_000, 8_000)]))
      await server.promote()
      await killed
      await wait(random.integer(0, 1_000))
      await server.makeReplica()
    },
  }
}
