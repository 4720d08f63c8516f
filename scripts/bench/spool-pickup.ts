import { setTimeout as wait } from 'node:timers/promises'
import { warmUp } from './backlog.ts'
import { diskInWords } from './disk-speed.ts'
import { type Goal, goalsTable } from './goals.ts'
import { type LoneJob, type LoneJobs, watchLoneJobs } from './lone-jobs.ts'
import { figure, markdownTable, range } from './markdown-table.ts'
import type { Section } from './section.ts'
import { endlessJobs } from './spool-jobs.ts'
import { startSimpleSpoolWorker, startSpoolProgram } from './spool-program.ts'
import { quantile, spreadOf } from './statistics.ts'
import { startTestbed } from './testbed.ts'

type Worker = 'agent' | 'polling'
/** A round's jobs, those of both in turn. */
type Round = Readonly<Record<Worker, readonly LoneJob[]>>
type Figure = keyof LoneJob

const workers: readonly Worker[] = ['agent', 'polling']
const workerTitles: Readonly<Record<Worker, string>> = {
  agent: 'the agent',
  polling: 'simple worker: every 200 ms, jose, fetch',
}
const figureTitles: Readonly<Record<Figure, string>> = { pickupMs: 'claim', answerMs: 'answer' }

/** Jobs of each worker for each of `--seconds`. */
const jobsPerS = 20
/** A wait of this length at most makes every moment between two scans as likely as any other. */
const scanIntervalMs = 200
const agentWarmUpJobs = 1_000
const pollingWarmUpJobs = 16

/** How long a lone job takes to be claimed, and to be answered. */
export const spoolPickup: Section = {
  name: 'spool-pickup',
  title: 'The spool: one lone job',
  async run({ agentCommand, rounds, secondsPerCell, progress }) {
    await using testbed = await startTestbed()
    await using agent = await startSpoolProgram('agent', agentCommand, testbed)
    await using polling = await startSimpleSpoolWorker(testbed)
    progress('warming up')
    await warmUp(agent, agentWarmUpJobs)
    await warmUp(polling, pollingWarmUpJobs)

    using agentJobs = watchLoneJobs(agent)
    using pollingJobs = watchLoneJobs(polling)
    const measured: Round[] = []
    for (let round = 0; round < rounds; round++) {
      progress(`lone jobs, round ${round + 1} of ${rounds}`)
      measured.push(
        await measureRound({ agent: agentJobs, polling: pollingJobs }, Math.ceil(secondsPerCell * jobsPerS)),
      )
    }
    return report(measured, diskInWords(testbed.dir))
  },
}

async function measureRound(jobsOf: Readonly<Record<Worker, LoneJobs>>, count: number): Promise<Round> {
  const round: Record<Worker, LoneJob[]> = { agent: [], polling: [] }
  const jobs = endlessJobs()
  for (let n = 0; n < count; n++) {
    for (const worker of workers) {
      await wait(Math.random() * scanIntervalMs)
      round[worker].push(await jobsOf[worker].run(jobs.next().value))
    }
  }
  return round
}

function report(rounds: readonly Round[], disk: string): string {
  const count = rounds.reduce((sum, { agent }) => sum + agent.length, 0)
  return [
    markdownTable(
      [
        ['from the rename into the outbox to the', 'left'],
        ['worker', 'left'],
        ['median ms', 'right'],
        ['min–max', 'right'],
        ['p99 ms', 'right'],
      ],
      (['pickupMs', 'answerMs'] as const).flatMap((figure) =>
        workers.map((worker) => [figureTitles[figure], workerTitles[worker], ...figuresOf(rounds, worker, figure)]),
      ),
    ),
    `${count} jobs each, one at a time and in turn, at random moments. Seen by file events in the benchmark's own process,` +
      ' whose time to arrive is in the figures. Median of the rounds and their range; p99 over all jobs. The agent syncs' +
      ` to disk, the simple worker does not. ${disk}`,
    '### Goals',
    goalsTable(goals, (goal) => goal.valuesOf(rounds)),
  ].join('\n\n')
}

function figuresOf(rounds: readonly Round[], worker: Worker, of: Figure): string[] {
  const spread = spreadOf(rounds.map((round) => median(round, worker, of)))
  const all = rounds.flatMap((round) => round[worker].map((job) => job[of]))
  return [figure(spread.median, 2), range(spread, 2), figure(quantile(Float64Array.from(all).sort(), 0.99), 2)]
}

function median(round: Round, worker: Worker, of: Figure): number {
  return spreadOf(round[worker].map((job) => job[of])).median
}

interface SpoolPickupGoal extends Goal {
  readonly valuesOf: (rounds: readonly Round[]) => readonly number[]
}

const goals: readonly SpoolPickupGoal[] = [
  {
    title: 'median time to the claim, simple worker / agent',
    bound: 'at least',
    wanted: 100,
    valuesOf: (rounds) =>
      rounds.map((round) => median(round, 'polling', 'pickupMs') / median(round, 'agent', 'pickupMs')),
  },
  {
    title: 'median time to the answer of the agent, ms',
    bound: 'at most',
    wanted: 10,
    valuesOf: (rounds) => rounds.map((round) => median(round, 'agent', 'answerMs')),
  },
]
