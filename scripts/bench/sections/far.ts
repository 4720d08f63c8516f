import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { startTlsFront } from '../../tls-front.ts'
import { type Cell, quantileOf } from '../figures.ts'
import { atMost, difference, figure } from '../goals.ts'
import { BareConnection, httpRequest } from '../load/bare-connection.ts'
import { loopOverConnections } from '../load/closed-loop.ts'
import { callRequest } from '../platform/call-contender.ts'
import { type Call, checkAnswer, endlessCalls, type Work } from '../platform/calls.ts'
import { startDistance } from '../platform/distance.ts'
import { ownProgram, startTestbed } from '../platform/testbed.ts'
import type { BenchSettings, Section } from '../section.ts'

const [agent, sidecar] = ['the agent', 'simple sidecar: fastify, jose, fetch']
const roundTripMs = 40
const classes = { safe: 'eligibility, `safe`', idempotent: 'stock, `idempotent`', once: 'registration, `once`' }
const works: Record<keyof typeof classes, Work> = { safe: 'eligibility', idempotent: 'stock', once: 'once' }
/** Pauses before each call, and the number of calls in a round. */
const pauses = [
  { pauseS: 0, calls: 20 },
  { pauseS: 2, calls: 3 },
  { pauseS: 20, calls: 1 },
] as const
const lone = (title: string, pauseS: number): string => `${title}, after ${pauseS} s`
const together = (count: number): string => `${classes.once}, ${count} in flight`

/** A program under measurement, for calls of one class. */
interface Lane {
  readonly contender: string
  readonly title: string
  readonly calls: Generator<Call, never>
  readonly url: string
}

/** How many round trips calls take to a platform that is far away. */
export const far: Section = {
  name: 'far',
  title: 'A platform that is far away',
  about:
    `Calls over https to a platform at a distance: a proxy delays each direction by ${roundTripMs / 2} ms, and the first` +
    ' bytes of a connection by a round trip more, as TCP does. First, lone calls of each class after pauses, each class' +
    ' through an agent of its own; then several calls at a time, without pauses. A round trip is the time of a request' +
    ' without a signature on a bare connection that is open, measured in the same moment. The platform keeps idle' +
    ' connections for 65 s.',
  goals: [
    ...Object.values(classes).flatMap((title) =>
      pauses.map(({ pauseS }) => atMost(1.2, lone(title, pauseS), figure('roundTrips', [agent, lone(title, pauseS)]))),
    ),
    ...[8, 32].map((count) =>
      atMost(
        0.1,
        `${together(count)}, agent less sidecar`,
        difference('roundTrips', [agent, together(count)], [sidecar, together(count)]),
      ),
    ),
  ],
  async measure(settings) {
    await using testbed = await startTestbed()
    await using front = await startTlsFront(testbed.agentEnv['SERVICE_BASE_URL'] ?? '')
    await using distance = await startDistance(Number(new URL(front.env['SERVICE_BASE_URL'] ?? '').port), roundTripMs)
    const env = { ...front.env, SERVICE_BASE_URL: `https://127.0.0.1:${distance.port}` }
    await using programs = new AsyncDisposableStack()
    const lanes: Lane[] = []
    for (const key of ['safe', 'idempotent', 'once'] as const) {
      for (const [contender, command] of [
        [agent, settings.agentCommand],
        [sidecar, ownProgram('simple-sidecar.ts')],
      ] as const) {
        const name = `${key}-${contender === agent ? 'agent' : 'sidecar'}`
        const own = { ...env, SERVICE_STATE_DIR: `${testbed.dir}/${name}` }
        const { url } = programs.use(await testbed.start(name, command, own))
        lanes.push({ contender, title: classes[key], calls: endlessCalls(works[key]), url })
      }
    }
    using bare = await BareTls.open(env)
    const { cells } = await testbed.proveCalls(() => measureRounds(lanes, bare, settings))
    return cells
  },
}

async function measureRounds(
  lanes: readonly Lane[],
  bare: BareTls,
  { rounds, secondsPerCell, inFlight, progress }: BenchSettings,
): Promise<{ cells: Cell[]; answered: number }> {
  const cells: Cell[] = []
  let [answered, bareMs] = [0, roundTripMs]
  const note = (round: number, load: string, contender: string, latenciesMs: readonly number[]) => {
    answered += latenciesMs.length
    const [p50Ms, p99Ms] = [quantileOf(latenciesMs, 0.5), quantileOf(latenciesMs, 0.99)]
    cells.push({ round, load, contender, figures: { roundTrips: p50Ms / bareMs, p50Ms, p99Ms } })
  }
  // What the first call of a program costs is not measured.
  for (const lane of lanes) answered += (await loneCalls(lane, 0, 3)).length
  for (let round = 0; round < rounds; round++) {
    for (const { pauseS, calls } of pauses) {
      progress(`round ${round + 1} of ${rounds}, lone calls after ${pauseS} s`)
      bareMs = await bare.roundTripMs()
      // All wait at the same time, and then one calls after another.
      const results = await Promise.all(lanes.map((lane, at) => loneCalls(lane, pauseS, calls, at * roundTripMs * 4)))
      for (const [at, { title, contender }] of lanes.entries())
        note(round, lone(title, pauseS), contender, results[at] ?? [])
    }
    for (const count of inFlight) {
      bareMs = await bare.roundTripMs()
      for (const { url, calls, contender } of lanes.filter(({ title }) => title === classes.once)) {
        const pace = { inFlight: count, seconds: secondsPerCell }
        const { latenciesMs } = await loopOverConnections(url, pace, (connection) => callOver(connection, calls))
        note(round, together(count), contender, latenciesMs)
      }
    }
  }
  return { cells, answered }
}

/** One connection to the platform that stays open. */
class BareTls {
  readonly #socket: TLSSocket

  private constructor(socket: TLSSocket) {
    this.#socket = socket
  }

  static async open(env: Readonly<Record<string, string>>): Promise<BareTls> {
    const { hostname, port } = new URL(env['SERVICE_BASE_URL'] ?? '')
    const ca = readFileSync(env['SERVICE_CA_FILE'] ?? '')
    const socket = connect({ host: hostname, port: Number(port), ca })
    await once(socket, 'secureConnect')
    return new BareTls(socket.setNoDelay(true))
  }

  /** The median of some requests. */
  async roundTripMs(): Promise<number> {
    const timesMs: number[] = []
    for (let n = 0; n < 15; n++) {
      const startMs = performance.now()
      this.#socket.write(httpRequest('GET', '/v1/api/market/eligibility/nobody', {}))
      await once(this.#socket, 'data')
      timesMs.push(performance.now() - startMs)
    }
    return quantileOf(timesMs, 0.5)
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }
}

/** The time of each call, one after another. */
async function loneCalls(
  { url, calls }: Lane,
  pauseS: number,
  count: number,
  startsAfterMs = 0,
): Promise<readonly number[]> {
  const latenciesMs: number[] = []
  await wait(startsAfterMs)
  for (let n = 0; n < count; n++) {
    await wait(pauseS * 1_000)
    const connection = await BareConnection.open(url)
    const startMs = performance.now()
    await callOver(connection, calls)
    latenciesMs.push(performance.now() - startMs)
    connection.end()
  }
  return latenciesMs
}

async function callOver(connection: BareConnection, calls: Generator<Call, never>): Promise<boolean> {
  const call = calls.next().value
  const { body } = await connection.exchange(callRequest(call))
  return checkAnswer(call, JSON.parse(body))
}
