import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { kindNameOf } from './faults/fault.ts'
import { describeFailure } from './run-seeds.ts'
import { runSideBySide, type SeedResult } from './run-side-by-side.ts'
import { explain, runSeed, type Simulation } from './simulation.ts'
import { strikeKinds } from './world/waves/waves.ts'
import { wholeWorld } from './world/whole-world.ts'

const usage = `npm run simulate -- [--seconds N] [--agents N] [--first N]   runs one seed after another until a promise is broken;
                                                             --hosts N: agents of one identity that share a store;
                                                             the last sixth of the time is for the first 100 again
                                                             (--twice N); --brief does not look for the faults that
                                                             it takes; --threads N: one for each core without it
npm run simulate -- --seed N [--agents N | --hosts N]        runs one seed, with its whole trace
npm run simulate -- --mutants [NAME] [--seconds N]           breaks a program on purpose, and looks how soon it is found
npm run simulate -- --unrun [--seconds N] [--hosts N]        prints the lines of the agent that no world has run
`

const number = (text: string | undefined, otherwise: number) => (text === undefined ? otherwise : Number(text))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string' },
    agents: { type: 'string' },
    hosts: { type: 'string' },
    first: { type: 'string' },
    twice: { type: 'string' },
    threads: { type: 'string' },
    brief: { type: 'boolean' },
    mutants: { type: 'boolean' },
    unrun: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const options = {
  ...(values.agents !== undefined && { agents: Number(values.agents) }),
  ...(values.hosts !== undefined && { hosts: Number(values.hosts) }),
}
// What a dead process leaves unhandled is ignored. Each run watches for the rest.
process.on('unhandledRejection', () => undefined)

if (values.help) process.stdout.write(usage)
else if (values.mutants) {
  const { findMutants } = await import('./mutants/find-mutants.ts')
  process.exitCode = (await findMutants(positionals, number(values.seconds, 60))) ? 0 : 1
} else if (values.unrun) {
  const { printUnrunLines } = await import('./unrun-lines.ts')
  // Of two values the last one counts.
  const asked = process.argv.slice(2).filter((arg) => arg !== '--unrun')
  await printUnrunLines(['--brief', '--twice', '0', '--seconds', '60', ...asked])
} else if (values.seed === undefined) await runMany()
else await runOne(values.seed)

/** Runs seeds for a while and prints the result. */
async function runMany(): Promise<void> {
  const simulation = wholeWorld(options)
  const range = {
    firstSeed: number(values.first, 1),
    seconds: number(values.seconds, 10),
    twice: number(values.twice, 100),
  }
  const result = await runSideBySide(number(values.threads, availableParallelism()), range, options)
  printFigures(result, simulation)
  if (result.failed) {
    const { seed, message, isEndless } = result.failed
    process.exitCode = 1
    console.log(`\nseed ${seed}: ${message}`)
    if (!values.brief && !isEndless) console.log(`\n${await describeAlone(simulation, seed)}`)
  }
  await simulation.end?.()
}

/** Runs a seed again that broke a promise. */
async function describeAlone<Targets>(simulation: Simulation<Targets>, seed: string): Promise<string> {
  const failed = await runSeed(simulation, seed)
  if (!failed.violation)
    return 'This seed keeps every promise when it runs alone. Something is left of a run before it.'
  return describeFailure(await explain(simulation, failed), failed)
}

/** Runs one seed, and prints each event of it. */
async function runOne(seed: string): Promise<void> {
  const simulation = wholeWorld(options)
  const run = await runSeed(simulation, seed, { keepsLines: true })
  console.log(run.lines.join('\n'))
  if (!run.violation) console.log(`seed ${seed}: every promise is kept`)
  else {
    process.exitCode = 1
    console.log(`\n${describeFailure(await explain(simulation, run), run)}`)
  }
  await simulation.end?.()
}

function printFigures<Targets>(
  { runs, events, seconds, faultCounts, rows }: SeedResult,
  { table }: Simulation<Targets>,
): void {
  const write = (line: string) => console.log(line)
  write(`${runs} runs, ${events} events, ${Math.round(events / seconds)} events a second`)
  write('\nfaults')
  for (const kind of [...table.map(kindNameOf), ...strikeKinds]) write(`${count(faultCounts.get(kind))}  ${kind}`)
  write('\nrows')
  for (const [row, times] of rows) write(`${count(times)}  ${row}`)
}

function count(times = 0): string {
  return String(times || '-').padStart(9)
}
