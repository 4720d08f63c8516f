import { type Goal, goalsTable } from '../goals.ts'
import { figure, markdownTable, range } from '../markdown-table.ts'
import { spreadOf } from '../statistics.ts'
import type { ColdStarts, StarterName } from './cold-starts.ts'
import { type ContenderName, contenderTitles } from './contenders.ts'
import type { LoadCell } from './load.ts'
import type { LoadGroup, Memory } from './measure-load.ts'
import type { StubWork } from './ready-requests.ts'

/** Everything that the section measured. */
export interface StubMeasurement {
  readonly inFlight: readonly number[]
  readonly groups: readonly LoadGroup[]
  readonly memory: Readonly<Record<ContenderName, Memory>>
  readonly coldStartsMs: ColdStarts
  readonly disk: string
}

const contenders = Object.keys(contenderTitles) as ContenderName[]
const workTitles: Readonly<Record<StubWork, string>> = {
  reads: 'Reads: `GET /v1/api/transactions/1`, API key and signature',
  registrations: 'Registrations: `POST /v1/api/market/listings`, signature, each another listing',
}
const starterTitles: Readonly<Record<StarterName, string>> = {
  executable: 'platform-stub, the executable',
  source: 'platform-stub, from its source',
  prism: 'Prism mock',
}
const notMeasured = 'not measured here'
/** From here on the load generator, and not what it loads, may be what was measured. */
const clientCoresSuspicious = 0.8

/** The section's text: a table for each kind of request, memory and starts, and the goals. */
export function stubReport(measurement: StubMeasurement): string {
  const { groups, memory, coldStartsMs, disk } = measurement
  return [
    ...(['reads', 'registrations'] as const).flatMap((work) => [
      `### ${workTitles[work]}`,
      loadTable(measurement, work),
    ]),
    'All are sent the same bytes over bare sockets, every envelope signed ahead and used once. The stub verifies each,' +
      ' remembers its jti, stores what is registered, and writes a line of log; on disk all of it is committed before it' +
      ' is answered. Prism checks bodies and headers against the document that the stub prints and answers its examples.' +
      ' After the last round an envelope is sent again, which the stub refuses. CPU is that of the server; the client is' +
      ` the load generator. Medians of the rounds. ${disk}`,
    ...clientWarning(groups),
    '### Memory and start',
    memoryTable(memory),
    startTable(coldStartsMs),
    'Memory is what is resident: before the first request, and after the last. The start lasts from the making of the' +
      ' process to the answer of its first request, a signed read; of the stub on a directory that has a purchase. The' +
      ' programs lie in the cache of the disk.',
    '### Goals',
    goalsTable(goals, (goal) => goal.valuesOf(measurement)),
    'Each ratio is taken within a round, in which the contenders took turns of less than half a second. At 1 in flight' +
      ' no goal is set: both processes wake for each request, which is most of what is measured there.',
  ].join('\n\n')
}

function loadTable({ groups, inFlight: inFlights }: StubMeasurement, work: StubWork): string {
  return markdownTable(
    [
      ['in flight', 'right'],
      ['server', 'left'],
      ['requests/s', 'right'],
      ['min–max', 'right'],
      ['p50 ms', 'right'],
      ['p99 ms', 'right'],
      ['CPU/request µs', 'right'],
      ['client, cores', 'right'],
    ],
    inFlights.flatMap((inFlight) =>
      contenders.map((name) => [
        String(inFlight),
        contenderTitles[name],
        ...loadFigures(groupsAt(groups, work, inFlight).map(({ cells }) => cells[name])),
      ]),
    ),
  )
}

function loadFigures(cells: readonly LoadCell[]): string[] {
  const median = (value: (cell: LoadCell) => number): number => spreadOf(cells.map(value)).median
  const requestsPerS = spreadOf(cells.map((cell) => cell.requestsPerS))
  const cpuUs = median(({ cpuUsPerRequest }) => cpuUsPerRequest ?? Number.NaN)
  const p50Ms = median((cell) => cell.p50Ms)
  const p99Ms = median((cell) => cell.p99Ms)
  const clientCores = median((cell) => cell.clientCores)
  return [
    figure(requestsPerS.median),
    range(requestsPerS),
    figure(p50Ms, 2),
    figure(p99Ms, 2),
    Number.isNaN(cpuUs) ? notMeasured : figure(cpuUs),
    figure(clientCores, 2),
  ]
}

function clientWarning(groups: readonly LoadGroup[]): string[] {
  const clientCoresMax = Math.max(
    ...groups.flatMap(({ cells }) => Object.values(cells).map(({ clientCores }) => clientCores)),
  )
  if (clientCoresMax < clientCoresSuspicious) return []
  return [`**The load generator took up to ${figure(clientCoresMax, 2)} cores: it may have been the limit.**`]
}

function memoryTable(memory: StubMeasurement['memory']): string {
  const shown = (mb: number | null): string => (mb === null ? notMeasured : figure(mb))
  return markdownTable(
    [
      ['server', 'left'],
      ['memory new, MB', 'right'],
      ['after the load, MB', 'right'],
    ],
    contenders.map((name) => [contenderTitles[name], shown(memory[name].newMb), shown(memory[name].usedMb)]),
  )
}

function startTable(coldStartsMs: ColdStarts): string {
  return markdownTable(
    [
      ['program', 'left'],
      ['start to first answer, ms', 'right'],
      ['min–max', 'right'],
      ['starts', 'right'],
    ],
    (Object.keys(starterTitles) as StarterName[]).map((name) => {
      const starts = coldStartsMs[name]
      const spread = spreadOf(starts)
      const figures = starts.length === 0 ? [notMeasured, ''] : [figure(spread.median), range(spread)]
      return [starterTitles[name], ...figures, String(starts.length)]
    }),
  )
}

interface StubGoal extends Goal {
  readonly valuesOf: (measurement: StubMeasurement) => readonly number[]
}

const goals: readonly StubGoal[] = [
  ...(
    [
      ['reads', 2],
      ['registrations', 1.5],
    ] as const
  ).flatMap(([work, wanted]) =>
    [8, 32].map(
      (inFlight): StubGoal => ({
        title: `${work} a second at ${inFlight} in flight, stub on disk / Prism`,
        bound: 'at least',
        wanted,
        valuesOf: ({ groups }) =>
          groupsAt(groups, work, inFlight).map(({ cells }) => cells.stub.requestsPerS / cells.prism.requestsPerS),
      }),
    ),
  ),
  {
    title: 'start of the executable to its first answer, ms',
    bound: 'at most',
    wanted: 200,
    valuesOf: ({ coldStartsMs }) => coldStartsMs.executable,
  },
]

function groupsAt(groups: readonly LoadGroup[], work: StubWork, inFlight: number): LoadGroup[] {
  return groups.filter((group) => group.work === work && group.inFlight === inFlight)
}
