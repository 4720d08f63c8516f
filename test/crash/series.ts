import { bridgeScenario } from './bridge-scenario.ts'
import { callsScenario } from './calls-scenario.ts'
import type { Way } from './game-server.ts'
import { type Fault, listCalls, type Point, type PointResult, type RunOptions, runPoint } from './points.ts'
import { injectByStrace, systemCalls } from './system-calls.ts'
import type { Violation } from './world.ts'

/** Points that belong together, as one line of the report. */
export interface Series {
  readonly title: string
  /** Those of a call in their order; a series may end where a run no longer comes to a point. */
  readonly points: () => Promise<readonly Point[]>
  readonly run: (point: Point) => Promise<PointResult>
  /** How many points there are is not known before. */
  readonly isOpenEnded?: true
}

/** A point of a series that broke a promise. */
export interface Finding {
  readonly point: Point
  readonly violation: Violation
}

/** Where an agent dies so that the next finds requests at every stage: claimed, under way, answered and not published. */
export const leavings: readonly Point[] = [
  { fault: 'kill', call: 'receive answer of the platform', nth: 4, isLasting: false },
  { fault: 'kill', call: 'unlink claim in outbox', nth: 2, isLasting: false },
  { fault: 'kill', call: 'rename done in outbox', nth: 2, isLasting: false },
]

/** Every storage and socket call of a run, in turn. */
export function callsSeries(fault: Fault, isLasting: boolean): Series {
  return seriesOf(titleOf(fault, isLasting), fault, isLasting, { makeScenario: callsScenario })
}

/** Every storage and socket call of an agent that takes over what another left. */
export function recoverySeries(leftBy: Point): Series {
  const title = `killed again while it recovers what was left before: ${leftBy.call}`
  return seriesOf(title, 'kill', false, { makeScenario: callsScenario, leftBy })
}

/** Every storage and socket call of an agent with a webhook bridge. */
export function bridgeSeries(way: Way, fault: Fault, isLasting: boolean): Series {
  const title = `webhook bridge, ${way}: ${titleOf(fault, isLasting)}`
  return seriesOf(title, fault, isLasting, { makeScenario: () => bridgeScenario(way) })
}

function seriesOf(title: string, fault: Fault, isLasting: boolean, options: RunOptions): Series {
  return {
    title,
    points: () => everyCall(fault, isLasting, options),
    run: (point) => runPoint(point, options),
  }
}

/** The system calls of SQLite, each until a run no longer makes as many. */
export function systemCallSeries(fault: Fault, isLasting: boolean): Series {
  const options = { makeScenario: callsScenario, inject: injectByStrace }
  return {
    title: `${titleOf(fault, isLasting)}, inside SQLite`,
    points: async () =>
      systemCalls
        .filter(({ isLook }) => fault !== 'kill' || !isLook)
        .flatMap(({ call }) => range(systemCallsMax).map((nth) => ({ fault, call, nth, isLasting }))),
    run: (point) => runPoint(point, options),
    isOpenEnded: true,
  }
}

const systemCallsMax = 1_000
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

function titleOf(fault: Fault, isLasting: boolean): string {
  if (fault === 'kill') return 'killed'
  return fault === 'power-cut' ? 'power cut' : `${fault} ${isLasting ? 'from there on' : 'once'}`
}

/** How often a run makes a call varies a little: the most of three runs. */
async function everyCall(fault: Fault, isLasting: boolean, options: RunOptions): Promise<Point[]> {
  const most = new Map<string, number>()
  for (let run = 0; run < 3; run++) {
    for (const [call, { length }] of Map.groupBy(await listCalls(fault, options), (name) => name)) {
      most.set(call, Math.max(most.get(call) ?? 0, length))
    }
  }
  return [...most].flatMap(([call, count]) => range(count).map((nth) => ({ fault, call, nth, isLasting })))
}

export interface SeriesOptions {
  /** How many worlds side by side. */
  readonly atATime: number
  /** Every how manyth point. */
  readonly every: number
  /** The first of them, from 0: with the same `every`, each value takes other points. */
  readonly from: number
  /** Called before the first point. */
  readonly onStart: (total: number | undefined) => void
  readonly onDone: (point: Point, result: PointResult) => void
}

/** @returns How many points were reached, and what they broke. */
export async function runSeries(
  series: Series,
  { atATime, every, from, onStart, onDone }: SeriesOptions,
): Promise<{ reached: number; findings: Finding[] }> {
  const points = (await series.points()).filter((_, index) => index % every === from)
  onStart(series.isOpenEnded ? undefined : points.length)
  const findings: Finding[] = []
  /** Runs of one call that did not come to their point, directly one after another. */
  const missed = new Map<string, number>()
  let reached = 0
  const worker = async (): Promise<void> => {
    for (let point = points.shift(); point; point = points.shift()) {
      if ((missed.get(point.call) ?? 0) >= missesMax) continue
      const result = await series.run(point)
      missed.set(point.call, result.isReached ? 0 : (missed.get(point.call) ?? 0) + 1)
      if (result.isReached) reached++
      findings.push(...result.violations.map((violation) => ({ point, violation })))
      onDone(point, result)
    }
  }
  await Promise.all(range(atATime).map(worker))
  return { reached, findings }
}

/** Which call is the n-th varies: one run that does not come to it is not the end. */
const missesMax = 3
