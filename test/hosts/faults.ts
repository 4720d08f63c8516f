import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../simulation/random.ts'
import type { CrashableServer } from '../simulation/stores/postgres-on-disk.ts'
import type { Host } from './host.ts'

/** Where a fault happens. */
export interface FaultPlace {
  readonly hosts: readonly Host[]
  readonly server: CrashableServer
  readonly random: Random
  /** Gets the time from each death to the take-over, ms. */
  readonly takeoversMs: number[]
}

/** A fault of real hosts. It is healed when it resolves. */
export interface Fault {
  readonly name: string
  readonly happen: (place: FaultPlace) => Promise<void>
}

const any = ({ hosts, random }: FaultPlace): Host => random.pick(hosts)

/** An agent is cut off from the store in one of the ways in which networks fail. */
function cutOff(name: string, cut: (host: Host) => void): Fault {
  return {
    name,
    async happen(place) {
      const host = any(place)
      cut(host)
      await wait(place.random.integer(200, 20_000))
      host.proxy.heal()
    },
  }
}

async function dieUntilTakenOver(place: FaultPlace): Promise<void> {
  const dead = any(place)
  const takeovers = () => place.hosts.reduce((sum, host) => sum + host.takeoversFrom(dead.name), 0)
  await dead.alive()
  const before = takeovers()
  const startMs = performance.now()
  let isDown = true
  const down = dead.kill(place.random.integer(21_000, 25_000)).then(() => {
    isDown = false
  })
  while (isDown && takeovers() === before) await wait(100)
  place.takeoversMs.push(Math.round(performance.now() - startMs))
  await down
}

/** Each is as likely as the others. */
export const faults: readonly Fault[] = [
  { name: 'an agent is killed and started again at once', happen: (place) => any(place).kill(0) },
  { name: 'a host dies for longer than a lease', happen: dieUntilTakenOver },
  { name: 'an agent is paused', happen: (place) => any(place).pause(place.random.integer(100, 9_000)) },
  {
    name: 'an agent is paused for longer than a lease',
    happen: (place) => any(place).pause(place.random.integer(16_000, 22_000)),
  },
  cutOff('connections to the store are reset', ({ proxy }) => proxy.cut()),
  cutOff('the way to the store is silent', ({ proxy }) => proxy.silence()),
  cutOff('answers of the store are lost', ({ proxy }) => proxy.loseAnswers()),
  { name: 'the store loses power', happen: ({ server }) => server.cutPower() },
  { name: 'nothing', happen: ({ random }) => wait(random.integer(1_000, 4_000)) },
]
