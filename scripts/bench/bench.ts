/**
 * `npm run bench`: measures, and prints what it measured as Markdown. A figure that misses its goal is no failure; the
 * exit code is 1 only where something broke, a refused call included.
 */
import { availableParallelism, cpus } from 'node:os'
import { join, relative } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { binaryPrograms, sourcePrograms } from '../programs.ts'
import { writeIntoPage } from './benchmarks-page.ts'
import { durability } from './durability.ts'
import { idle } from './idle.ts'
import { repeatedIds } from './repeated-ids.ts'
import type { BenchSettings, Section } from './section.ts'
import { signedCalls } from './signed-calls.ts'
import { spoolBacklog } from './spool-backlog.ts'
import { spoolPickup } from './spool-pickup.ts'
import { stub } from './stub.ts'

/** In the order in which they run. */
const sections: readonly Section[] = [signedCalls, spoolPickup, spoolBacklog, repeatedIds, durability, idle, stub]

const root = join(import.meta.dirname, '..', '..')
const pageFile = join(root, 'docs', 'benchmarks.md')

const program = new Command('bench')
  .description('Measures the programs beside their alternatives. Speeds are never a test: read the ratios.')
  .argument('[sections...]', `which: ${sections.map(({ name }) => name).join(', ')}; all when left out`, knownSection)
  .option('--rounds <n>', 'rounds, of which the medians are shown', positive, 5)
  .option('--seconds <s>', 'measured seconds for each cell of the tables', positive, 2)
  .option('--in-flight <list>', 'numbers of calls in flight', positiveList, [1, 8, 32])
  .option('--no-huge-backlog', 'leaves out the backlog of 100,000 files, which takes a minute a round')
  .option('--binary', 'measures the executables in dist/ (see `npm run build`) in place of the sources')
  .option('--agent <file>', 'measures another agent, of another working copy for one', join(root, 'agent', 'main.ts'))
  .option('--write', `puts the text into ${relative(root, pageFile)} too`)
  .parse()

const options = program.opts<{
  rounds: number
  seconds: number
  inFlight: number[]
  hugeBacklog: boolean
  binary?: true
  agent: string
  write?: true
}>()

const settings: BenchSettings = {
  rounds: Math.ceil(options.rounds),
  secondsPerCell: options.seconds,
  inFlight: options.inFlight,
  hugeBacklog: options.hugeBacklog,
  agentCommand: options.binary
    ? [join(root, 'dist', process.platform === 'win32' ? 'market-agent.exe' : 'market-agent'), 'run']
    : [process.execPath, options.agent, 'run'],
  stubCommand: options.binary ? binaryPrograms.stub : sourcePrograms.stub,
  progress: (what) => console.error(`bench: ${what}`),
}

// Leaving through exit() is what ends the children and removes what they wrote.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

const chosen = program.args
for (const section of sections.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
  const text = [`## ${section.title}`, circumstances(), await section.run(settings)].join('\n\n')
  console.log(`${text}\n`)
  if (options.write) writeIntoPage(pageFile, section.name, text)
}

function circumstances(): string {
  const given = process.argv.slice(2).filter((argument) => argument !== '--write')
  const command = ['npm run bench', ...(given.length > 0 ? ['--', ...given] : [])].join(' ')
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`
  const when = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const { rounds, secondsPerCell } = settings
  return [
    `\`${command}\`: ${rounds} rounds of ${secondsPerCell} s a cell.`,
    `Node ${process.version}, ${process.platform} ${process.arch}, ${cores}, ${when}.`,
  ].join(' ')
}

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) throw new InvalidArgumentError('Example: 5')
  return value
}

function positiveList(text: string): number[] {
  const values = text.split(',').map(Number)
  if (!values.every((value) => Number.isInteger(value) && value > 0)) throw new InvalidArgumentError('Example: 1,8,32')
  return values
}

function knownSection(name: string, before: string[] = []): string[] {
  if (!sections.some((section) => section.name === name)) throw new InvalidArgumentError(`No section ${name}.`)
  return [...before, name]
}
