import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { connectToPlatform } from '../../../agent/platform/undici-connection.ts'
import type { Cell } from '../figures.ts'
import { atMost, figure } from '../goals.ts'
import { startClosingServer } from '../platform/closing-server.ts'
import { startDistance } from '../platform/distance.ts'
import type { Section } from '../section.ts'

const [agent, pool] = ["the agent's connections", 'undici Pool']
const roundTripMs = 40
const callsPerCaller = 10
const callers = 100
const loads = [500, 1_000, 2_000, 5_000, 15_000].flatMap((idleMs) =>
  [true, false].map((isAnnounced) => {
    const name = `after ${idleMs / 1_000} s, ${isAnnounced ? 'announced' : 'not announced'}`
    return { name, idleMs, isAnnounced }
  }),
)

/** Makes one request. @returns Whether it was answered. */
interface Caller extends AsyncDisposable {
  call(): Promise<boolean>
}

const contenders: readonly { readonly name: string; readonly start: (origin: string) => Caller }[] = [
  { name: agent, start: startAgentCaller },
  { name: pool, start: startPoolCaller },
]

/** How many requests are lost at servers that close idle connections. */
export const idleClosers: Section = {
  name: 'idle-closers',
  title: 'Servers that close idle connections',
  about:
    `${callers * callsPerCaller * loads.length} requests to servers that close a connection after some time without a` +
    ` request, by the agent's connections and by a pool of undici, at a distance of ${roundTripMs} ms. There are` +
    ` ${callers} callers for each server, which know nothing about it at first. Half of the pauses are within 80 ms of the` +
    " server's limit, the others anywhere up to one and a half times as long. A request is lost when it has no answer: for" +
    ' a purchase that is `uncertain`. One round, whatever is asked for.',
  goals: loads.map(({ name }) => atMost(0, `lost by the agent, ${name}`, figure('lost', [agent, name]))),
  async measure({ progress }) {
    progress(`${contenders.length * callers * callsPerCaller * loads.length} requests, some minutes`)
    const cells = loads.map(async ({ name: load, idleMs, isAnnounced }) => {
      await using server = await startClosingServer(idleMs, isAnnounced)
      await using distance = await startDistance(server.port, roundTripMs)
      const origin = `http://127.0.0.1:${distance.port}`
      const counted = contenders.map(async ({ name: contender, start }): Promise<Cell> => {
        const lost = await Promise.all(Array.from({ length: callers }, () => countLost(start(origin), idleMs)))
        const figures = { calls: callers * callsPerCaller, lost: lost.reduce((sum, count) => sum + count, 0) }
        return { round: 0, load, contender, figures }
      })
      return await Promise.all(counted)
    })
    return (await Promise.all(cells)).flat()
  },
}

/** Calls with pauses between. */
async function countLost(starting: Caller, idleMs: number): Promise<number> {
  await using caller = starting
  let lost = 0
  // Not all at the same moment.
  await wait(Math.random() * 5_000)
  for (let n = 0; n < callsPerCaller; n++) {
    if (!(await caller.call())) lost++
    const isNear = Math.random() < 0.5
    await wait(isNear ? Math.max(0, idleMs + Math.random() * 160 - 80) : Math.random() * idleMs * 1.5)
  }
  return lost
}

const body = Buffer.from('{}')

/** @throws {Error} A request certainly did not leave. That is not what is counted. */
function startAgentCaller(origin: string): Caller {
  const options = { extraCa: undefined, proxy: undefined, attemptTimeoutMs: 10_000, idle: 'kept' } as const
  const connection = connectToPlatform({ origin, clock: systemClock, ...options })
  return {
    async call() {
      const result = await connection.send({ method: 'POST', path: '/', headers: [], body }, { timeoutMs: 10_000 })
      if (result.kind === 'failed' && !result.wasSent) throw result.cause
      return result.kind === 'answered'
    },
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

function startPoolCaller(origin: string): Caller {
  const connections = new Pool(origin)
  return {
    async call() {
      try {
        const answer = await connections.request({ method: 'POST', path: '/', body })
        await answer.body.dump()
        return true
      } catch {
        return false
      }
    },
    [Symbol.asyncDispose]: () => connections.destroy(),
  }
}
