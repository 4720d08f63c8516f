import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningProgram, startProgram } from '../child-program.ts'
import { type Cell, cellOf } from './cell.ts'
import { closedLoop, type Load, type LoadOrder } from './closed-loop.ts'
import { type Goal, goalsTable } from './goals.ts'
import { figure, markdownTable, range } from './markdown-table.ts'
import { openRawHttpCaller, type RawHttpCaller } from './raw-http-caller.ts'
import type { Section } from './section.ts'
import { type Loadable, measureLoaded, type Slice } from './slice.ts'
import { spreadOf } from './statistics.ts'
import { slicesIn, startingAt } from './taking-turns.ts'
import { startTestbed, type Testbed } from './testbed.ts'
import { checkAnswer, endlessCalls } from './work.ts'

type Server = 'agent' | 'bare'
type Order = Pick<LoadOrder, 'inFlight' | 'seconds'>
interface Answering extends Loadable<Order> {
  readonly server: Server
}

interface Group {
  readonly inFlight: number
  readonly cells: Readonly<Record<Server, Cell>>
}

const servers: Readonly<Record<Server, string>> = {
  agent: 'the agent',
  bare: 'bare node:http server, the same bytes',
}
const firstWarmUpS = 2

/** Answers per second to an id that was answered before. */
export const repeatedIds: Section = {
  name: 'repeated-ids',
  title: 'Repeated ids',
  async run({ agentCommand, rounds, secondsPerCell, inFlight, progress }) {
    await using testbed = await startTestbed()
    await using agent = await start('agent', agentCommand, testbed, testbed.agentEnv)
    const body = JSON.stringify({ id: randomUUID(), ...endlessCalls('idempotent').next().value })
    const answer = await repeatedAnswer(agent.url, body)
    const bareServer = fileURLToPath(import.meta.resolve('./bare-server.ts'))
    await using bare = await start('bare-server', [process.execPath, bareServer], testbed, { BENCH_ANSWER: answer })

    const answering: Answering[] = (
      [
        ['agent', agent],
        ['bare', bare],
      ] as const
    ).map(([server, { url, pid }]) => ({
      server,
      pid,
      load: (order) => repeat(order, () => openRawHttpCaller(url, '/call', body, answer)),
    }))

    progress('warming up')
    for (const { load } of answering) await load({ inFlight: 8, seconds: firstWarmUpS })
    const measured: Group[] = []
    for (let round = 0; round < rounds; round++) {
      for (const count of inFlight) {
        progress(`repeated ids, round ${round + 1} of ${rounds}, ${count} in flight`)
        measured.push({ inFlight: count, cells: await measureCells(answering, count, secondsPerCell, testbed) })
      }
    }
    const { accepted } = await testbed.counts()
    if (accepted !== 1) throw new Error(`The platform saw ${accepted} calls of one id`)
    return report(measured, inFlight)
  },
}

function start(
  name: string,
  command: readonly string[],
  { dir }: Testbed,
  env: Readonly<Record<string, string>>,
): Promise<RunningProgram> {
  return startProgram({ name, command, env, logFile: join(dir, `${name}.log`) })
}

/** What a repetition of the call gets from then on. */
async function repeatedAnswer(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const ask = async () => (await fetch(`${url}/call`, { method: 'POST', headers, body })).text()
  checkAnswer(JSON.parse(body), JSON.parse(await ask()))
  return ask()
}

/** One connection for each call in flight, new each time: a server closes those that stand idle. */
async function repeat(order: Order, open: () => Promise<RawHttpCaller>): Promise<Load> {
  const callers = await Promise.all(Array.from({ length: order.inFlight }, open))
  const idle = [...callers]
  const askWithOneOf = async (caller: RawHttpCaller | undefined): Promise<void> => {
    if (!caller) throw new Error('More calls in flight than connections')
    await caller.ask()
    idle.push(caller)
  }
  try {
    return await closedLoop(order, () => askWithOneOf(idle.pop()))
  } finally {
    for (const caller of callers) caller.close()
  }
}

async function measureCells(
  answering: readonly Answering[],
  inFlight: number,
  secondsPerCell: number,
  { signingKey }: Testbed,
): Promise<Group['cells']> {
  const slices: Record<Server, Slice[]> = { agent: [], bare: [] }
  const turns = slicesIn(secondsPerCell)
  const order: Order = { inFlight, seconds: secondsPerCell / turns }
  for (let turn = 0; turn < turns; turn++) {
    for (const one of startingAt(turn, answering)) {
      slices[one.server].push((await measureLoaded(one, order, signingKey)).slice)
    }
  }
  return { agent: cellOf(slices.agent), bare: cellOf(slices.bare) }
}

function report(groups: readonly Group[], inFlights: readonly number[]): string {
  return [
    markdownTable(
      [
        ['in flight', 'right'],
        ['server', 'left'],
        ['answers/s', 'right'],
        ['min–max', 'right'],
        ['p50 ms', 'right'],
        ['p99 ms', 'right'],
        ['CPU/answer µs', 'right'],
        ['client, cores', 'right'],
      ],
      inFlights.flatMap((inFlight) =>
        (['agent', 'bare'] as const).map((server) => [String(inFlight), ...rowCells(groups, inFlight, server)]),
      ),
    ),
    'One `market.adjust-stock` with an id, answered before and then repeated; the platform saw it once. The client sends' +
      ' ready bytes over bare sockets and compares every answer. Medians of the rounds.',
    '### Goals',
    goalsTable(
      [1, 8, 32].map((inFlight) => goalAt(inFlight)),
      ({ inFlight }) =>
        groups
          .filter((group) => group.inFlight === inFlight)
          .map(({ cells }) => cells.agent.callsPerS / cells.bare.callsPerS),
    ),
  ].join('\n\n')
}

function rowCells(groups: readonly Group[], inFlight: number, server: Server): string[] {
  const cells = groups.filter((group) => group.inFlight === inFlight).map((group) => group.cells[server])
  const median = (value: (cell: Cell) => number): number => spreadOf(cells.map(value)).median
  const answersPerS = spreadOf(cells.map(({ callsPerS }) => callsPerS))
  const cpuUs = median(({ cpuUsPerCall }) => cpuUsPerCall ?? Number.NaN)
  return [
    servers[server],
    figure(answersPerS.median),
    range(answersPerS),
    figure(
      median(({ p50Ms }) => p50Ms),
      2,
    ),
    figure(
      median(({ p99Ms }) => p99Ms),
      2,
    ),
    Number.isNaN(cpuUs) ? 'not measured here' : figure(cpuUs, 1),
    figure(
      median(({ clientCores }) => clientCores),
      2,
    ),
  ]
}

function goalAt(inFlight: number): Goal & { inFlight: number } {
  return {
    inFlight,
    title: `answers a second at ${inFlight} in flight, agent / bare server`,
    bound: 'at least',
    wanted: 0.6,
  }
}
