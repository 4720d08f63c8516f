import type { Cell } from './cell.ts'
import { type Goal, goalsTable } from './goals.ts'
import { figure, markdownTable, range } from './markdown-table.ts'
import type { Cells, Group, Rounds, SignedWork } from './signed-calls-rounds.ts'
import { type Spread, spreadOf } from './statistics.ts'
import type { WayLetter } from './ways.ts'

const wayTitles: Readonly<Record<WayLetter, string>> = {
  b: '(b) the agent',
  c: '(c) simple sidecar: fastify, jose, fetch',
  d: "(d) caller's own process: jose, fetch",
  e: '(e) bare sidecar: node:http, crypto.sign, Pool.request',
  f: '(f) bare relay: sockets alone, crypto.sign',
}

const workTitles: Readonly<Record<SignedWork, string>> = {
  mixed: 'Half `market.adjust-stock`, half `market.eligibility`',
  once: '`market.register`, a `once` operation: the agent opens a connection for each, the others reuse theirs',
}

/** From here on the load generator, and not what it loads, may be what was measured. */
const clientCoresSuspicious = 0.8

/** The section's text: the machine's speed, a table for each kind of work, and the goals. */
export function signedCallsReport(rounds: Rounds): string {
  return [
    '### (a) RSA-2048 signatures on this machine',
    signatureTable(rounds),
    ...(['mixed', 'once'] as const).flatMap((work) => [`### ${workTitles[work]}`, cellTable(rounds, work)]),
    'CPU is that of the signing process, in signatures made in place just before and after (S) and in µs; the client is the' +
      ' load generator, which in (d) is the caller itself. Medians of the rounds.',
    ...clientWarning(rounds),
    '### Goals',
    goalsTable(goals, (goal) => goal.ratiosOf(rounds, 'b')),
    'What (e), which checks and keeps nothing, comes to in place of (b) on the same machine at the same time:',
    goalsTable(goals, (goal) => goal.ratiosOf(rounds, 'e')),
    'And (f), which does not even read HTTP, and takes one call at a time:',
    goalsTable(
      goals.filter((goal) => goal.ratiosOf(rounds, 'f').length > 0),
      (goal) => goal.ratiosOf(rounds, 'f'),
    ),
    'Each ratio is taken within a round, in which the ways took turns of less than half a second; shown are the median of the rounds and' +
      ' their range.',
  ].join('\n\n')
}

function signatureTable(rounds: Rounds): string {
  const groups = rounds.flat()
  const rows: [string, number[]][] = [
    ['signatures a second, in place, one core', groups.map(({ signingInPlace }) => signingInPlace.perS)],
    ['signatures a second, thread pool, all cores', groups.map(({ signingOnPool }) => signingOnPool.perS)],
    ['CPU of one signature in place (S), µs', groups.map(({ signingInPlace }) => signingInPlace.cpuUs)],
    ['CPU of one signature on the thread pool, µs', groups.map(({ signingOnPool }) => signingOnPool.cpuUs)],
  ]
  return markdownTable(
    [
      ['', 'left'],
      ['median', 'right'],
      ['min–max', 'right'],
    ],
    rows.map(([title, values]) => {
      const spread = spreadOf(values)
      return [title, figure(spread.median), range(spread)]
    }),
  )
}

function cellTable(rounds: Rounds, work: SignedWork): string {
  const inFlights = rounds[0]?.map(({ inFlight }) => inFlight) ?? []
  return markdownTable(
    [
      ['in flight', 'right'],
      ['way', 'left'],
      ['calls/s', 'right'],
      ['min–max', 'right'],
      ['p50 ms', 'right'],
      ['p99 ms', 'right'],
      ['CPU/call S', 'right'],
      ['CPU/call µs', 'right'],
      ['client, cores', 'right'],
    ],
    inFlights.flatMap((inFlight) => {
      const groups = groupsAt(rounds, inFlight)
      return (['b', 'c', 'd', 'e', 'f'] as const)
        .filter((letter) => groups.some(({ cells }) => cells[work][letter]))
        .map((letter) => [String(inFlight), wayTitles[letter], ...cellFigures(groups, work, letter)])
    }),
  )
}

function cellFigures(groups: readonly Group[], work: SignedWork, letter: WayLetter): string[] {
  const measured = groups.flatMap(({ cells }) => cells[work][letter] ?? [])
  const spread = (value: (cell: Cell) => number): Spread => spreadOf(measured.map(value))
  const callsPerS = spread(({ callsPerS }) => callsPerS)
  const cpuInS = spread(({ cpuInSignatures }) => cpuInSignatures ?? Number.NaN).median
  const cpuUs = spread(({ cpuUsPerCall }) => cpuUsPerCall ?? Number.NaN).median
  return [
    figure(callsPerS.median),
    range(callsPerS),
    figure(spread(({ p50Ms }) => p50Ms).median, 2),
    figure(spread(({ p99Ms }) => p99Ms).median, 2),
    Number.isNaN(cpuInS) ? 'not measured here' : figure(cpuInS, 2),
    Number.isNaN(cpuUs) ? 'not measured here' : figure(cpuUs),
    letter === 'd' ? '' : figure(spread(({ clientCores }) => clientCores).median, 2),
  ]
}

function clientWarning(rounds: Rounds): string[] {
  const cells = rounds
    .flat()
    .flatMap(({ cells }) => [
      ...[cells.mixed.b, cells.mixed.c, cells.mixed.e],
      ...[cells.once.b, cells.once.c, cells.once.e],
    ])
  const clientCoresMax = Math.max(...cells.map(({ clientCores }) => clientCores))
  if (clientCoresMax < clientCoresSuspicious) return []
  return [`**The load generator took up to ${figure(clientCoresMax, 2)} cores: it may have been the limit.**`]
}

interface SignedCallsGoal extends Goal {
  /** @param letter The way that is held to the goal. */
  readonly ratiosOf: (rounds: Rounds, letter: 'b' | 'e' | 'f') => readonly (number | null)[]
}

const goals: readonly SignedCallsGoal[] = [
  ...(
    [
      [1, 1.6],
      [8, 1.4],
      [32, 1.4],
    ] as const
  ).map(
    ([inFlight, wanted]): SignedCallsGoal => ({
      title: `calls a second at ${inFlight} in flight, (b) / (c)`,
      bound: 'at least',
      wanted,
      ratiosOf: (rounds, letter) =>
        cellsAt(rounds, inFlight, letter).map(({ cell, beside }) => cell.callsPerS / beside.c.callsPerS),
    }),
  ),
  {
    title: 'CPU of (b) per call at 8 in flight, in S',
    bound: 'at most',
    wanted: 1.7,
    ratiosOf: (rounds, letter) => cellsAt(rounds, 8, letter).map(({ cell }) => cell.cpuInSignatures),
  },
  {
    title: 'p50 at 1 in flight, (b) / (d)',
    bound: 'at most',
    wanted: 0.75,
    ratiosOf: (rounds, letter) => cellsAt(rounds, 1, letter).map(({ cell, beside }) => cell.p50Ms / beside.d.p50Ms),
  },
]

/** A way's cells, each with those that were measured beside it. */
function cellsAt(rounds: Rounds, inFlight: number, letter: WayLetter): { cell: Cell; beside: Cells }[] {
  return groupsAt(rounds, inFlight).flatMap(({ cells: { mixed } }) => {
    const cell = mixed[letter]
    return cell ? [{ cell, beside: mixed }] : []
  })
}

function groupsAt(rounds: Rounds, inFlight: number): Group[] {
  return rounds.flat().filter((group) => group.inFlight === inFlight)
}
