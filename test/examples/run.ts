/**
 * `npm run test:examples [-- NAME…] [-- --install] [-- --from FOLDER]`: runs every example of `examples/` through one course, with a stub and
 * an agent as real processes. It kills game server and agent, loses answers, and compares at the end what both sides know.
 * `--install` installs with apt-get what the examples need. `--from` takes the files of the named example from another folder,
 * such as your own copy. Prints a line for each step, a table, and last `N passed, N failed`.
 * Exit 0, or 1 with a failure. With DEMO_LOG_DIR the logs of stubs and agents go to that folder.
 *
 * A new example gets a row in `examples.ts`.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { type Example, examples } from './examples.ts'
import { install, isInstalled } from './install.ts'
import { checkLength, runCourse } from './run-course.ts'

/** A course is three or four processes, which mostly wait: for retries, and for each other's next look at a file. */
const coursesAtOnce = 6
const root = join(import.meta.dirname, '..', '..', 'examples')

const { values, positionals } = parseArgs({
  options: { install: { type: 'boolean' }, from: { type: 'string' } },
  allowPositionals: true,
})
// An end by a signal must end the programs too: examples run in process groups of their own.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const sourceOf = ({ name }: Example) => (values.from === undefined ? join(root, name) : resolve(values.from))
const chosen = choose(positionals)
const possible = chosen.filter(({ cannotRun }) => cannotRun === undefined)
if (values.install) install(possible.filter((example) => !isInstalled(example)))
const ready = possible.filter(isInstalled)

// Those that look at files take the longest, so they begin first.
const inOrder = ready.toSorted((a, b) => Number(b.orders === 'files') - Number(a.orders === 'files'))
const slots = pLimit(coursesAtOnce)
const results = await Promise.all(inOrder.map((example) => slots(() => run(example))))

const skipped = chosen.filter((example) => !ready.includes(example))
console.log('')
for (const { name, how } of [...results, ...skipped.map(skip)]) console.log(`${name.padEnd(14)} ${how}`)
const failed = results.filter(({ isPassed }) => !isPassed).length
const ofSkipped = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
console.log(`\n${results.length - failed} passed, ${failed} failed${ofSkipped}`)
process.exit(failed > 0 ? 1 : 0)

/** All examples, or those that are named. */
function choose(names: readonly string[]): readonly Example[] {
  const found = names.length === 0 ? examples : examples.filter(({ name }) => names.includes(name))
  const unknown = names.filter((name) => !found.some((example) => example.name === name))
  for (const name of unknown) console.error(`There is no example ${name}.`)
  const missing = found.map(sourceOf).filter((folder) => !existsSync(folder))
  for (const folder of missing) console.error(`There is no folder ${folder}.`)
  const isVague = values.from !== undefined && names.length !== 1
  if (isVague) console.error('--from needs the name of one example, whose way it is started in.')
  if (isVague || unknown.length + missing.length > 0) process.exit(1)
  return found
}

async function run(example: Example): Promise<{ name: string; how: string; isPassed: boolean }> {
  const { name } = example
  const startMs = performance.now()
  const say = (line: string) => console.log(`${name.padEnd(14)} ${line}`)
  try {
    if (values.from === undefined) checkLength(example, sourceOf(example))
    await runCourse(example, sourceOf(example), (title, tookMs) => say(`${seconds(tookMs)}  ${title}`))
    return { name, how: `passed in ${seconds(performance.now() - startMs).trim()}`, isPassed: true }
  } catch (error) {
    say(`FAILED  ${error instanceof Error ? error.message : error}`)
    return { name, how: 'FAILED', isPassed: false }
  }
}

function skip({ name, cannotRun, packages }: Example): { name: string; how: string } {
  return { name, how: `skipped: ${cannotRun ?? `apt-get install ${packages.join(' ')}`}` }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(7)
}
