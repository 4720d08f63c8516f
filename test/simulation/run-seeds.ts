import { performance } from 'node:perf_hooks'
import { addCounts } from './coverage.ts'
import type { FaultCounts } from './faults/fault.ts'
import { type Run, type RunOptions, runSeed, type Simulation } from './simulation.ts'

/** A seed did not give the same run twice. */
export class NotRepeatableError extends Error {
  override readonly name = 'NotRepeatableError'
}

/** Which seeds are run. */
export interface SeedRange {
  readonly firstSeed: number
  /** From one seed to the next. */
  readonly step?: number
  /** No new run begins after this much real time. */
  readonly seconds: number
  readonly runsMax?: number
  /** This many of the first seeds are run twice, if there is time. */
  readonly twice: number
  /** Whether no new run is to begin, asked before each. */
  readonly isCalledOff?: () => boolean
  /** Called before each event. */
  readonly onEvent?: (seed: string, virtualMs: number) => void
}

/** What many runs came to. */
export interface Figures {
  readonly runs: number
  readonly events: number
  readonly seconds: number
  readonly faultCounts: FaultCounts
  /** The first run that broke a promise. No other one follows it. */
  readonly failed: Run | undefined
}

/** How much of the time is for seeds that did not run before. The first ones run again then, and if time is left, others follow. */
const newSeedsShare = 5 / 6

/**
 * Runs one seed after another until one breaks a promise. That is more likely than a run that is not repeatable, so the first
 * seeds run twice only when most others have run.
 *
 * @throws {NotRepeatableError}
 */
export async function runSeeds<Targets>(simulation: Simulation<Targets>, range: SeedRange): Promise<Figures> {
  const { firstSeed, step = 1, seconds, twice, runsMax = Number.POSITIVE_INFINITY } = range
  const { isCalledOff = () => false, onEvent = () => undefined } = range
  const beganMs = performance.now()
  const elapsedS = () => (performance.now() - beganMs) / 1_000
  const faultCounts: FaultCounts = new Map()
  const toRepeat: Run[] = []
  let [runs, events] = [0, 0]
  let failed: Run | undefined
  const isOver = () => failed !== undefined || isCalledOff()
  const optionsOf = (seed: string): RunOptions => ({ onEvent: (virtualMs) => onEvent(seed, virtualMs) })

  async function runNew(untilS: number): Promise<void> {
    for (; !isOver() && runs < runsMax && elapsedS() < untilS; runs++) {
      const seed = String(firstSeed + runs * step)
      const run = await runSeed(simulation, seed, optionsOf(seed))
      if (runs < twice) toRepeat.push(run)
      events += run.events
      addCounts(faultCounts, run.faultCounts)
      if (run.violation) failed = run
    }
  }

  await runNew(twice > 0 ? seconds * newSeedsShare : seconds)
  for (const [n, run] of toRepeat.entries()) {
    // The first seed is always run again.
    if (isOver() || (n > 0 && elapsedS() >= seconds)) break
    await assertRepeatable(simulation, run, optionsOf(run.seed))
  }
  await runNew(seconds)
  return { runs, events, seconds: elapsedS(), faultCounts, failed }
}

async function assertRepeatable<Targets>(
  simulation: Simulation<Targets>,
  { seed, hash }: Run,
  options: RunOptions,
): Promise<void> {
  if ((await runSeed(simulation, seed, options)).hash === hash) return
  const [one, other] = [
    await runSeed(simulation, seed, { keepsLines: true }),
    await runSeed(simulation, seed, { keepsLines: true }),
  ]
  const at = one.lines.findIndex((line, n) => line !== other.lines[n])
  const where = at < 0 ? 'not when it is looked at' : `${one.lines[at]}\n${other.lines[at]}`
  throw new NotRepeatableError(`seed ${seed} does not give the same run twice. It differs first here:\n${where}`)
}

const linesShown = 60

/**
 * A run that broke a promise, for a person: the seed, the promise, the faults that it needs, and how it ended.
 *
 * @param failed The same run with all faults.
 */
export function describeFailure(explained: Run, failed: Run): string {
  const { seed, violation, faults, strikes, lines } = explained
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(3).padStart(11)} s`
  return [
    `seed ${seed}: ${violation?.message}`,
    '',
    `It takes ${countFaults(explained)} of the ${countFaults(failed)} faults of that seed:`,
    ...faults.map(({ atMs, kind, lastsMs }) => `${seconds(atMs)}  ${kind}, for ${(lastsMs / 1_000).toFixed(3)} s`),
    ...strikes.map((strike) => `${' '.repeat(13)}  ${strike}`),
    '',
    `The last ${Math.min(linesShown, lines.length)} of ${lines.length} lines:`,
    ...lines.slice(-linesShown),
  ].join('\n')
}

function countFaults({ faults, strikes }: Run): number {
  return faults.length + strikes.length
}
