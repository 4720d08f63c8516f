/**
 * `npm run soak`: makes a million calls with ids through the executable and draws its resident memory as a picture,
 * docs/images/memory.svg. The platform behind it verifies each call and stores nothing.
 */
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { memoryMbOf } from '../bench/machine/process-figures.ts'
import { startTestbed } from '../bench/platform/testbed.ts'
import { binaryPrograms } from '../programs.ts'
import { makeCallsWithIds } from './calls-with-ids.ts'
import { drawMemory, type Sample } from './draw-memory.ts'

const root = join(import.meta.dirname, '..', '..')
const samples = 100

const { calls, out } = new Command('soak')
  .description('Makes calls with ids through dist/market-agent and draws its memory.')
  .option('--calls <n>', 'number of calls', wholeNumber, 1_000_000)
  .option('--out <file>', 'the picture', join(root, 'docs', 'images', 'memory.svg'))
  .parse()
  .opts<{ calls: number; out: string }>()

// exit() ends the children and removes their files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

await using testbed = await startTestbed()
await using agent = await testbed.start('agent', [...binaryPrograms.agent, 'run'])
const curve: Sample[] = [{ calls: 0, memoryMb: memoryMbOf(agent.pid) }]
const step = Math.ceil(calls / samples)
for (let made = 0; made < calls; ) {
  const next = Math.min(step, calls - made)
  await testbed.proveCalls(async () => {
    await makeCallsWithIds(agent.url, next)
    return { answered: next }
  })
  made += next
  const memoryMb = memoryMbOf(agent.pid)
  curve.push({ calls: made, memoryMb })
  console.error(`soak: ${made.toLocaleString('en')} of ${calls.toLocaleString('en')} calls, ${memoryMb.toFixed(0)} MB`)
}
writeFileSync(out, drawMemory(curve))
console.log(`${relative(root, out)}: ${describe(curve)}`)

/** Flat or not, in figures: the median of the second tenth next to that of the last. */
function describe(curve: readonly Sample[]): string {
  const tenth = Math.ceil(curve.length / 10)
  const [early, late] = [curve.slice(tenth, 2 * tenth), curve.slice(-tenth)].map(medianMb)
  return `median ${early?.toFixed(0)} MB in the second tenth of the calls, ${late?.toFixed(0)} MB in the last`
}

function medianMb(part: readonly Sample[]): number {
  return part.map(({ memoryMb }) => memoryMb).sort((one, other) => one - other)[part.length >> 1] ?? Number.NaN
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Example: 20000')
  return Number(text)
}
