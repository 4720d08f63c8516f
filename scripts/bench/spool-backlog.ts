import { type BacklogRun, warmUp, workOffBacklog } from './backlog.ts'
import { spreadDirectories } from './block-groups.ts'
import { diskInWords } from './disk-speed.ts'
import { type Goal, goalsTable } from './goals.ts'
import { figure, markdownTable, range } from './markdown-table.ts'
import type { Section } from './section.ts'
import { measureInPlace } from './signature-speed.ts'
import { type SpoolProgram, startSimpleSpoolWorker, startSpoolProgram } from './spool-program.ts'
import { spreadOf } from './statistics.ts'
import { startTestbed, type Testbed } from './testbed.ts'

/** A backlog in the table. */
interface Row {
  readonly title: string
  readonly files: number
  readonly worker: 'agent' | 'polling'
}

interface Measured extends BacklogRun {
  /** S, directly before. */
  readonly signatureUs: number
}

type Round = ReadonlyMap<Row, readonly Measured[]>

const small: Row = { title: 'the agent', files: 1_000, worker: 'agent' }
const middle: Row = { ...small, files: 10_000 }
const huge: Row = { ...small, files: 100_000 }
/** So many that its first look, which is due at once, counts for little. */
const polling: Row = { title: 'simple worker: eight places every 200 ms, jose, fetch', files: 240, worker: 'polling' }
const rows: readonly Row[] = [small, middle, huge, polling]

/** Draining 100,000 takes minutes, and its first answers are those that many files could hold up. */
const answersMax = 30_000
/** A round takes two or three minutes. */
const roundsMax = 3
const warmUpJobs: Readonly<Record<Row['worker'], number>> = { agent: 1_500, polling: 16 }
const signatureProbeS = 0.1

/** Jobs per second out of a backlog, by its size. */
export const spoolBacklog: Section = {
  name: 'spool-backlog',
  title: 'The spool: a backlog',
  async run({ agentCommand, rounds, hugeBacklog, progress }) {
    if (process.platform === 'win32') return 'Not measured on Windows, which cannot stop a program and let it go on.'
    await using testbed = await startTestbed()
    spreadDirectories(testbed.dir)
    // What is compared with the others is measured between them, whatever the machine's speed does meanwhile.
    const order = [small, polling, small, middle, small, ...(hugeBacklog ? [small, huge, small, small] : [])]
    const measured: Round[] = []
    const count = Math.min(rounds, roundsMax)
    for (let round = 0; round < count; round++) {
      const runs = new Map<Row, Measured[]>()
      for (const row of order) {
        progress(`backlog of ${row.files}, ${row.worker}, round ${round + 1} of ${count}`)
        runs.set(row, [...(runs.get(row) ?? []), await measure(row, agentCommand, testbed)])
      }
      measured.push(runs)
    }
    return report(measured, diskInWords(testbed.dir))
  },
}

/** A new program, and a new spool, for each: none works among the leftovers of another. */
async function measure({ worker, files }: Row, agentCommand: readonly string[], testbed: Testbed): Promise<Measured> {
  await using program: SpoolProgram =
    worker === 'agent' ? await startSpoolProgram('agent', agentCommand, testbed) : await startSimpleSpoolWorker(testbed)
  await warmUp(program, warmUpJobs[worker])
  const { cpuUs: signatureUs } = await measureInPlace(testbed.signingKey, signatureProbeS)
  const before = await testbed.counts()
  const answers = Math.min(files, answersMax)
  const run = await workOffBacklog(program, { files, answers })
  const { refused, lastRefusal } = await testbed.counts()
  if (refused > before.refused) throw new Error(`The platform refused a call of ${worker}: ${lastRefusal}`)
  return { ...run, signatureUs }
}

function report(rounds: readonly Round[], disk: string): string {
  return [
    markdownTable(
      [
        ['files', 'right'],
        ['worker', 'left'],
        ['jobs/s', 'right'],
        ['min–max', 'right'],
        ['CPU/job S', 'right'],
        ['CPU/job µs', 'right'],
      ],
      rows.filter((row) => rounds[0]?.has(row)).map((row) => rowCells(rounds, row)),
    ),
    '`market.adjust-stock`, each for a new item. The worker is warm and stands still (SIGSTOP) while the files are put' +
      ` down; counted from then on to the last answer, of 100,000 files to answer ${figure(answersMax)}, because all would` +
      ' take minutes. The reader looks every 10 ms, checks each answer and moves it away. Medians of' +
      ` ${rounds.length} rounds. CPU is that of the worker, in signatures made in place just before (S) and in µs. The` +
      ` agent syncs to disk and keeps a journal, the simple worker does neither. ${disk}`,
    '### Goals',
    goalsTable(goals, (goal) => goal.ratiosOf(rounds)),
  ].join('\n\n')
}

function rowCells(rounds: readonly Round[], row: Row): string[] {
  const runs = rounds.flatMap((round) => round.get(row) ?? [])
  const jobsPerS = spreadOf(runs.map((run) => run.jobsPerS))
  const cpu = runs.flatMap(({ cpuUsPerJob, signatureUs }) =>
    cpuUsPerJob === null ? [] : [{ cpuUsPerJob, signatureUs }],
  )
  const inS = spreadOf(cpu.map(({ cpuUsPerJob, signatureUs }) => cpuUsPerJob / signatureUs)).median
  const inUs = spreadOf(cpu.map(({ cpuUsPerJob }) => cpuUsPerJob)).median
  return [
    figure(row.files),
    row.title,
    figure(jobsPerS.median),
    range(jobsPerS),
    ...(cpu.length > 0 ? [figure(inS, 2), figure(inUs)] : ['not measured here', '']),
  ]
}

interface SpoolBacklogGoal extends Goal {
  readonly ratiosOf: (rounds: readonly Round[]) => readonly number[]
}

const goals: readonly SpoolBacklogGoal[] = [
  {
    title: 'jobs a second out of 1,000 files, agent / simple worker',
    bound: 'at least',
    wanted: 20,
    ratiosOf: (rounds) => rounds.map((round) => rate(round, small) / rate(round, polling)),
  },
  {
    title: 'jobs a second of the agent, out of 100,000 files / out of 1,000',
    bound: 'at least',
    wanted: 0.9,
    ratiosOf: (rounds) =>
      rounds.filter((round) => round.has(huge)).map((round) => rate(round, huge) / rate(round, small)),
  },
]

/** Mean of a round's runs, which lie around the others. */
function rate(round: Round, row: Row): number {
  const runs = round.get(row) ?? []
  return runs.reduce((sum, { jobsPerS }) => sum + jobsPerS, 0) / runs.length
}
