import { parseArgs } from 'node:util'
import { bundlePrograms } from '../programs/bundle.ts'
import { ways as handovers, type Way } from './game-server.ts'
import type { Fault, Point } from './points.ts'
import { type Progress, startProgress } from './progress.ts'
import { killAtRandom } from './random-kills.ts'
import {
  bridgeSeries,
  callsSeries,
  type Finding,
  leavings,
  recoverySeries,
  runSeries,
  type Series,
  systemCallSeries,
} from './series.ts'
import { canTrace } from './system-calls.ts'
import type { Invariant } from './world.ts'

// npm run test:crash -- [--series calls,bridge,recovery,sqlite,random] [--way url,files,asking] [--fault kill,EIO] [--every N] [--from K] [--at-a-time 2] [--seed N]
// Kills the agent at every storage and socket call in turn, then lets each call fail, once and lastingly.

const { values } = parseArgs({
  options: {
    series: { type: 'string', default: 'calls,bridge,recovery,sqlite,random' },
    way: { type: 'string', default: Object.keys(handovers).join() },
    fault: { type: 'string', default: 'kill,power-cut,EIO,ENOSPC,EMFILE' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    'at-a-time': { type: 'string', default: '2' },
    'random-kills': { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    verbose: { type: 'boolean', default: false },
  },
})
bundlePrograms()
const wanted = new Set(values.series.split(','))
const faults = values.fault.split(',') as Fault[]
const findings: Finding[] = []
let pointsReached = 0

const bridgeWays = faults.flatMap((fault) =>
  (isDeath(fault) ? [false] : [false, true]).map((isLasting) => ({ fault, isLasting })),
)
/** What a power cut does to calls is tried at random, because their answers may then differ. */
const ways = bridgeWays.filter(({ fault }) => fault !== 'power-cut')
if (wanted.has('calls')) for (const { fault, isLasting } of ways) await goThrough(callsSeries(fault, isLasting))
if (wanted.has('bridge')) {
  for (const way of values.way.split(',') as Way[])
    for (const { fault, isLasting } of bridgeWays) await goThrough(bridgeSeries(way, fault, isLasting))
}
if (wanted.has('recovery') && faults.includes('kill')) {
  for (const leftBy of leavings) await goThrough(recoverySeries(leftBy))
}
if (wanted.has('sqlite') && canTrace()) {
  for (const { fault, isLasting } of ways) await goThrough(systemCallSeries(fault, isLasting))
} else if (wanted.has('sqlite')) {
  console.log('inside SQLite: left out, for strace is not there or may not trace')
}
if (wanted.has('random')) await killUnderLoad(Number(values['random-kills']), Number(values.seed))
tell()

async function goThrough(series: Series): Promise<void> {
  const startedMs = performance.now()
  let progress: Progress | undefined
  const { reached, findings: found } = await runSeries(series, {
    atATime: Number(values['at-a-time']),
    every: Number(values.every),
    from: Number(values.from),
    onStart(total) {
      progress = startProgress(series.title, total)
    },
    onDone(point, { isReached, violations }) {
      if (values.verbose) progress?.print(`  ${wordsOf(point)}${isReached ? '' : ': not reached'}`)
      for (const { invariant, what } of violations) progress?.print(`  ${wordsOf(point)}: ${invariant} ${what}`)
      progress?.next(violations.length)
    },
  })
  pointsReached += reached
  findings.push(...found)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  progress?.print(`${series.title}: ${reached} points, ${found.length} violations, ${seconds} s`)
  // A series that met nothing has shown nothing.
  if (reached === 0) process.exitCode = 1
}

function isDeath(fault: Fault): boolean {
  return fault === 'kill' || fault === 'power-cut'
}

function wordsOf({ fault, call, nth, isLasting }: Point): string {
  return `${fault} ${isLasting ? 'from' : 'at'} ${call} ${nth}`
}

async function killUnderLoad(kills: number, seed: number): Promise<void> {
  console.log(`killing ${kills} times at random`)
  const { requests, violations } = await killAtRandom(kills, seed)
  console.log(
    `killed at random: ${kills} times under ${requests} requests, ${violations.length} violations (seed ${seed})`,
  )
  const point: Point = { fault: 'kill', call: 'random', nth: 1, isLasting: false }
  for (const violation of violations) {
    findings.push({ point, violation })
    console.log(`  ${violation.invariant} ${violation.what}`)
  }
}

function tell(): void {
  const kinds: readonly (readonly [string, Invariant])[] = [
    ['lost', 'I1'],
    ['acted twice', 'I2'],
    ['answered twice', 'I3'],
    ['repeated id answered otherwise', 'I4'],
    ['false successes and refusals', 'I5'],
    ['out of order', 'I6'],
    ['wrong envelopes', 'I7'],
    ['files left', 'I9'],
    ['unclean ends', 'I10'],
    ['not handed over', 'I11'],
    ['acknowledged too early', 'I12'],
    ['closed too early', 'I13'],
  ]
  const counts = kinds.map(
    ([kind, invariant]) => `${findings.filter(({ violation }) => violation.invariant === invariant).length} ${kind}`,
  )
  console.log(`${pointsReached} points in all: ${counts.join(', ')}`)
  if (findings.length > 0) process.exitCode = 1
}
