import { parseArgs } from 'node:util'
import { type Fault, listPoints, type Point, runPoint } from './points.ts'
import { killAtRandom } from './random-kills.ts'
import type { Violation } from './world.ts'

// npm run test:crash -- [--fault kill,EIO] [--every N] [--from N] [--random-kills 50] [--seed N] [--at-a-time 3]
// Kills the agent at every storage and socket call in turn, then lets each call fail, once and lastingly.

const { values } = parseArgs({
  options: {
    fault: { type: 'string', default: 'kill,EIO,ENOSPC,EMFILE' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    'random-kills': { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    'at-a-time': { type: 'string', default: '3' },
    verbose: { type: 'boolean', default: false },
  },
})
const all: { where: string; violation: Violation }[] = []

/** Points n, n + every, … until a run survives because it makes fewer calls. */
async function runAll(fault: Fault, isLasting: boolean): Promise<void> {
  const startedMs = performance.now()
  const estimate = (await listPoints(fault)).length
  let next = Number(values.from)
  let points = 0
  let survivals = 0
  const worker = async (): Promise<void> => {
    // Which call is the n-th varies a little from run to run: one early end does not end the series.
    while (survivals < 3) {
      const point: Point = { fault, at: next, isLasting }
      next += Number(values.every)
      const { reached, violations } = await runPoint(point)
      if (reached === undefined) survivals++
      else points++
      const where = `${fault}${isLasting ? ' from' : ' at'} ${point.at} (${reached ?? 'not reached'})`
      if (values.verbose) console.log(where)
      for (const violation of violations) {
        all.push({ where, violation })
        console.log(`  ${where}: ${violation.invariant} ${violation.what}`)
      }
    }
  }
  await Promise.all(Array.from({ length: Number(values['at-a-time']) }, worker))
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  const kind = fault === 'kill' ? 'killed' : `${fault} ${isLasting ? 'from there on' : 'once'}`
  console.log(
    `${kind}: ${points} points (about ${estimate} calls), ${countOf(fault, isLasting)} violations, ${seconds} s`,
  )
}

function countOf(fault: Fault, isLasting: boolean): number {
  return all.filter(({ where }) => where.startsWith(`${fault}${isLasting ? ' from' : ' at'}`)).length
}

for (const fault of values.fault.split(',').filter(Boolean) as Fault[]) {
  await runAll(fault, false)
  if (fault !== 'kill') await runAll(fault, true)
}
const kills = Number(values['random-kills'])
if (kills > 0) {
  const { requests, violations } = await killAtRandom(kills, Number(values.seed))
  console.log(
    `killed at random: ${kills} times under ${requests} requests, ${violations.length} violations (seed ${values.seed})`,
  )
  for (const violation of violations) {
    all.push({ where: 'random', violation })
    console.log(`  ${violation.invariant} ${violation.what}`)
  }
}
const byKind = Map.groupBy(all, ({ violation }) => violation.invariant)
const counts = ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I9', 'I10'].map(
  (invariant) => `${invariant} ${byKind.get(invariant as Violation['invariant'])?.length ?? 0}`,
)
console.log(`violations by invariant: ${counts.join(', ')}`)
process.exitCode = all.length === 0 ? 0 : 1
