import { join } from 'node:path'
import { agentExecArgv, sourcePrograms } from '../programs.ts'
import { type Cell, cellOf } from './cell.ts'
import { diskInWords, type SyncedPageCost, syncedPageCost } from './disk-speed.ts'
import { type Goal, goalsTable } from './goals.ts'
import { figure, markdownTable, range } from './markdown-table.ts'
import type { Section } from './section.ts'
import { measureInPlace } from './signature-speed.ts'
import { measureSlice, type Slice } from './slice.ts'
import { spreadOf } from './statistics.ts'
import { slicesIn, startingAt } from './taking-turns.ts'
import { startTestbed, type Testbed } from './testbed.ts'
import { type Way, wayThroughProgram } from './ways.ts'

type DurableWork = 'idempotent' | 'once'
type Journal = 'off' | 'on'

interface Group {
  readonly work: DurableWork
  readonly inFlight: number
  readonly cells: Readonly<Record<Journal, Cell>>
}

const works: Readonly<Record<DurableWork, string>> = {
  idempotent: '`market.adjust-stock`',
  once: '`market.register`, once',
}
const workNames = Object.keys(works) as DurableWork[]
const journals: readonly Journal[] = ['off', 'on']
/** With the flags of the executable, which cannot be had without its journal. */
const agentInMemory = [process.execPath, ...agentExecArgv, join(import.meta.dirname, 'agent-in-memory.ts')]
const firstWarmUpS = 1
const signatureProbeS = 0.1
/** Without one nothing is remembered. */
const withIds = true

/** What a journal that survives a power cut costs. */
export const durability: Section = {
  name: 'durability',
  title: 'The cost of durability',
  async run({ rounds, secondsPerCell, inFlight, progress }) {
    await using testbed = await startTestbed()
    await using off = await wayThroughProgram('b', 'agent-in-memory', agentInMemory, testbed)
    // Only one owns a state directory.
    const ownState = join(testbed.dir, 'state-on')
    const ownEnv = { ...testbed, agentEnv: { ...testbed.agentEnv, SERVICE_STATE_DIR: ownState } }
    await using on = await wayThroughProgram('b', 'agent', [...sourcePrograms.agent, 'run'], ownEnv)
    const agents = { off, on }
    progress('warming up')
    for (const work of workNames) {
      for (const journal of journals) await agents[journal].load({ work, inFlight: 8, seconds: firstWarmUpS, withIds })
    }
    const groups: Group[] = []
    const syncedPages: SyncedPage[] = []
    for (let round = 0; round < rounds; round++) {
      for (const count of inFlight) {
        progress(`durability, round ${round + 1} of ${rounds}, ${count} in flight`)
        for (const work of workNames) {
          const cells = await measureCells(agents, work, count, secondsPerCell, testbed)
          groups.push({ work, inFlight: count, cells })
        }
      }
      syncedPages.push(await measureSyncedPage(testbed))
    }
    return report(groups, inFlight, `${diskInWords(testbed.dir)} ${syncedPageInWords(syncedPages)}`)
  },
}

/** What one sync costs on this disk, in S of the same moment. */
interface SyncedPage extends SyncedPageCost {
  readonly signatureUs: number
}

async function measureSyncedPage({ dir, signingKey }: Testbed): Promise<SyncedPage> {
  const { cpuUs: signatureUs } = await measureInPlace(signingKey, signatureProbeS)
  return { ...(await syncedPageCost(dir)), signatureUs }
}

function syncedPageInWords(pages: readonly SyncedPage[]): string {
  const inARow = spreadOf(pages.map(({ inARowUs, signatureUs }) => inARowUs / signatureUs))
  const afterPauses = spreadOf(pages.map(({ afterPausesUs, signatureUs }) => afterPausesUs / signatureUs))
  return (
    'Without any journal, a page written in place and synced by a program that does nothing else costs' +
    ` ${figure(inARow.median, 2)} S (${range(inARow, 2)}), and after a pause of a millisecond, as between two answers,` +
    ` ${figure(afterPauses.median, 2)} S (${range(afterPauses, 2)}): the least for a call which has a sync to itself;` +
    ' a `once` call has two.'
  )
}

async function measureCells(
  agents: Readonly<Record<Journal, Way>>,
  work: DurableWork,
  inFlight: number,
  secondsPerCell: number,
  testbed: Testbed,
): Promise<Group['cells']> {
  const slices: Record<Journal, Slice[]> = { off: [], on: [] }
  const turns = slicesIn(secondsPerCell)
  for (let turn = 0; turn < turns; turn++) {
    for (const journal of startingAt(turn, journals)) {
      const order = { work, inFlight, seconds: secondsPerCell / turns, withIds }
      slices[journal].push(await measureSlice(agents[journal], order, testbed))
    }
  }
  return { off: cellOf(slices.off), on: cellOf(slices.on) }
}

function report(groups: readonly Group[], inFlights: readonly number[], disk: string): string {
  return [
    markdownTable(
      [
        ['work', 'left'],
        ['in flight', 'right'],
        ['journal', 'left'],
        ['calls/s', 'right'],
        ['min–max', 'right'],
        ['p50 ms', 'right'],
        ['CPU/call S', 'right'],
        ['CPU/call µs', 'right'],
      ],
      workNames.flatMap((work) =>
        inFlights.flatMap((inFlight) =>
          journals.map((journal) => [
            works[work],
            String(inFlight),
            journal,
            ...figuresOf(groupsAt(groups, work, inFlight).map(({ cells }) => cells[journal])),
          ]),
        ),
      ),
    ),
    'Two agents from the same source with the flags of the executable, in turns, each call with a new id. With the' +
      ' journal on, its answer is on disk before it is given, and a `once` call before it leaves too; off, answers are' +
      ' kept in memory alone and end with the process. CPU is that of the agent, in signatures made in place' +
      ` just before and after (S) and in µs. Medians of the rounds. ${disk}`,
    '### Goals',
    goalsTable(goals, (goal) =>
      groupsAt(groups, goal.work, goal.inFlight).map(({ cells: { off, on } }) =>
        on.cpuInSignatures === null || off.cpuInSignatures === null ? null : on.cpuInSignatures - off.cpuInSignatures,
      ),
    ),
  ].join('\n\n')
}

function figuresOf(cells: readonly Cell[]): string[] {
  const callsPerS = spreadOf(cells.map((cell) => cell.callsPerS))
  const median = (value: (cell: Cell) => number | null): number =>
    spreadOf(cells.map((cell) => value(cell) ?? Number.NaN)).median
  const cpuInS = median((cell) => cell.cpuInSignatures)
  return [
    figure(callsPerS.median),
    range(callsPerS),
    figure(
      median(({ p50Ms }) => p50Ms),
      2,
    ),
    ...(Number.isNaN(cpuInS)
      ? ['not measured here', '']
      : [figure(cpuInS, 2), figure(median((cell) => cell.cpuUsPerCall))]),
  ]
}

interface DurabilityGoal extends Goal {
  readonly work: DurableWork
  readonly inFlight: number
}

const goals: readonly DurabilityGoal[] = workNames.flatMap((work) =>
  [1, 8, 32].map((inFlight) => ({
    work,
    inFlight,
    title: `CPU of the journal per call at ${inFlight} in flight, ${works[work]}, in S`,
    bound: 'at most' as const,
    wanted: 0.15,
  })),
)

function groupsAt(groups: readonly Group[], work: DurableWork, inFlight: number): Group[] {
  return groups.filter((group) => group.work === work && group.inFlight === inFlight)
}
