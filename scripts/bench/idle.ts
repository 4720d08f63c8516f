import { setTimeout as wait } from 'node:timers/promises'
import { warmUp } from './backlog.ts'
import { type Goal, goalsTable } from './goals.ts'
import { figure, markdownTable, range } from './markdown-table.ts'
import { cpuSecondsOf } from './process-cpu.ts'
import { memoryMbOf } from './process-memory.ts'
import type { Section } from './section.ts'
import { type SpoolProgram, startSimpleSpoolWorker, startSpoolProgram } from './spool-program.ts'
import { spreadOf } from './statistics.ts'
import { startTestbed } from './testbed.ts'

interface Idle {
  readonly title: string
  /** In % of a core, one for each round; null where it cannot be read. */
  readonly cpuPercents: readonly (number | null)[]
  /** Resident memory before the first job and after the last; null where it cannot be read. */
  readonly newMb: number | null
  readonly usedMb: number | null
}

const idleS = 10
const roundsMax = 3
/** What a job leaves to be done: connections that close, memory that is collected. */
const settlingMs = 6_000
const jobsBefore = 200

/** What the agent takes while nothing happens. */
export const idle: Section = {
  name: 'idle',
  title: 'The idle agent',
  async run({ agentCommand, rounds, progress }) {
    await using testbed = await startTestbed()
    await using agent = await startSpoolProgram('agent', agentCommand, testbed)
    await using polling = await startSimpleSpoolWorker(testbed)
    const count = Math.min(rounds, roundsMax)
    progress(`idle for ${count} times ${idleS} s`)
    const newMb = [memoryMbOf(agent.pid), memoryMbOf(polling.pid)]
    await warmUp(agent, jobsBefore)
    await warmUp(polling, 8)
    await wait(settlingMs)

    const cpuPercents: [(number | null)[], (number | null)[]] = [[], []]
    for (let round = 0; round < count; round++) {
      const [ofAgent, ofPolling] = await Promise.all([cpuPercentOf(agent), cpuPercentOf(polling)])
      cpuPercents[0].push(ofAgent)
      cpuPercents[1].push(ofPolling)
    }
    return report([
      { title: 'the agent', cpuPercents: cpuPercents[0], newMb: newMb[0] ?? null, usedMb: memoryMbOf(agent.pid) },
      {
        title: 'simple worker: every 200 ms, jose, fetch',
        cpuPercents: cpuPercents[1],
        newMb: newMb[1] ?? null,
        usedMb: memoryMbOf(polling.pid),
      },
    ])
  },
}

async function cpuPercentOf({ pid }: SpoolProgram): Promise<number | null> {
  const [beforeS, startMs] = [cpuSecondsOf(pid), performance.now()]
  await wait(idleS * 1_000)
  const afterS = cpuSecondsOf(pid)
  return beforeS === null || afterS === null ? null : ((afterS - beforeS) / (performance.now() - startMs)) * 1e5
}

function report(all: readonly Idle[]): string {
  const shown = (value: number | null): string => (value === null ? 'not measured here' : figure(value))
  return [
    markdownTable(
      [
        ['', 'left'],
        ['CPU, % of a core', 'right'],
        ['min–max', 'right'],
        ['memory new, MB', 'right'],
        ['after jobs, MB', 'right'],
      ],
      all.map(({ title, cpuPercents, newMb, usedMb }) => [
        title,
        ...cpuCells(cpuPercents),
        shown(newMb),
        shown(usedMb),
      ]),
    ),
    `An empty outbox, for ${idleS} s, and that ${all[0]?.cpuPercents.length} times; before it ${jobsBefore} jobs, so that` +
      ' nothing is measured that happens once. CPU is counted in ticks of 10 ms, 0.1 % each. Memory is what is resident,' +
      ' the pages of the program itself among it.',
    '### Goals',
    goalsTable([goal], () => all[0]?.cpuPercents ?? []),
  ].join('\n\n')
}

function cpuCells(percents: readonly (number | null)[]): [string, string] {
  const measured = percents.filter((percent) => percent !== null)
  const spread = spreadOf(measured)
  return measured.length === 0 ? ['not measured here', ''] : [figure(spread.median, 2), range(spread, 2)]
}

const goal: Goal = { title: 'CPU of the idle agent, % of a core', bound: 'at most', wanted: 0.5 }
