/**
 * `npm run bench`: measures, and prints the results as Markdown. A figure that misses its goal is not a failure; the
 * exit code is 1 only if something broke, such as a refused call.
 */
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { binaryPrograms, sourcePrograms } from '../programs.ts'
import { writeIntoPage } from './benchmarks-page.ts'
import { measureSyncMs } from './machine/disk.ts'
import { report } from './report.ts'
import type { BenchSettings } from './section.ts'
import { far } from './sections/far.ts'
import { idle } from './sections/idle.ts'
import { idleClosers } from './sections/idle-closers.ts'
import { newIds } from './sections/new-ids.ts'
import { repeatedIds } from './sections/repeated-ids.ts'
import { signedCalls } from './sections/signed-calls.ts'
import { spoolBacklog } from './sections/spool-backlog.ts'
import { spoolPickup } from './sections/spool-pickup.ts'
import { starts } from './sections/starts.ts'
import { store } from './sections/store.ts'
import { stubBesidePrism } from './sections/stub.ts'
import { webhook } from './sections/webhook.ts'

/** In the order in which they run. */
const sections = [
  signedCalls,
  far,
  idleClosers,
  newIds,
  store,
  repeatedIds,
  spoolPickup,
  spoolBacklog,
  webhook,
  idle,
  stubBesidePrism,
  starts,
]

const root = join(import.meta.dirname, '..', '..')
const pageFile = join(root, 'docs', 'benchmarks.md')

const program = new Command('bench')
  .description('Measures the programs next to their alternatives. Speeds are never a test: read the ratios.')
  .addArgument(new Argument('[sections...]', 'all by default').choices(sections.map(({ name }) => name)))
  .option('--rounds <n>', 'rounds; the medians are shown', positive, 5)
  .option('--seconds <s>', 'measured seconds for each cell of the tables', positive, 2)
  .option('--in-flight <list>', 'numbers of calls in flight', (text) => text.split(',').map(positive), [1, 8, 32])
  .option('--binary', 'measures the executables in dist/ (see `npm run build`) instead of the sources')
  .option('--agent <file>', 'measures another agent, for example of another working copy')
  .option('--write', `writes the text into ${relative(root, pageFile)} too`)
  .parse()

const { rounds, seconds, inFlight, binary, agent, write } = program.opts()
const programs = binary ? binaryPrograms : sourcePrograms

const settings: BenchSettings = {
  rounds: Math.ceil(rounds),
  secondsPerCell: seconds,
  inFlight,
  agentCommand: agent ? [process.execPath, agent, 'run'] : [...programs.agent, 'run'],
  stubCommand: programs.stub,
  progress: (what) => console.error(`bench: ${what}`),
}

// exit() ends the children and removes their files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

const chosen = sections.filter(({ name }) => program.args.length === 0 || program.args.includes(name))
for (const { name, title, about, goals, measure } of chosen) {
  settings.progress(name)
  const results = report(await measure(settings), goals)
  const text = [`## ${title}`, about, results, circumstances()].join('\n\n')
  console.log(`${text}\n`)
  if (write) writeIntoPage(pageFile, name, text)
}

function circumstances(): string {
  const given = process.argv.slice(2).filter((argument) => argument !== '--write')
  const command = ['npm run bench', ...(given.length > 0 ? ['--', ...given] : [])].join(' ')
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`
  const when = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return [
    `\`${command}\`, ${when}: up to ${settings.rounds} rounds of ${settings.secondsPerCell} s a cell, medians.`,
    `Node ${process.version}, ${process.platform} ${process.arch}, ${cores};`,
    `the disk writes and syncs a new small file in ${measureSyncMs(tmpdir()).toFixed(2)} ms.`,
  ].join(' ')
}

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) throw new InvalidArgumentError('Example: 5')
  return value
}
