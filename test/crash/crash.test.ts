import { expect, test } from 'vitest'
import { bridgeScenario } from './bridge-scenario.ts'
import { callsScenario } from './calls-scenario.ts'
import { type Way, ways } from './game-server.ts'
import { type Fault, listCalls, type Point, type PointResult, runPoint } from './points.ts'
import { killAtRandom } from './random-kills.ts'
import { seededRandom } from './seeded-random.ts'
import { leavings } from './series.ts'

// Other points at each run, of those that `npm run test:crash` goes through whole. Give CRASH_SEED to repeat a run.

const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const atATime = 3
const randomKills = 16
const calls = { makeScenario: callsScenario }

/** Each kind of call once before any is met twice, as many as wanted in all. */
function sample(fault: Fault, isLasting: boolean, calls: readonly string[], count: number): Point[] {
  const random = seededRandom(seed)
  return [...Map.groupBy(calls, (call) => call)]
    .flatMap(([call, { length }]) =>
      Array.from({ length }, (_, index) => ({ nth: index + 1, order: random() }))
        .sort((a, b) => a.order - b.order)
        .map(({ nth, order }, round) => ({ call, nth, order: round + order })),
    )
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ call, nth }) => ({ fault, call, nth, isLasting }))
}

/** What was broken where, in words. */
async function findingsAt(points: readonly Point[], run: (point: Point) => Promise<PointResult>): Promise<string[]> {
  const left = [...points]
  const found: string[] = []
  const worker = async (): Promise<void> => {
    for (let point = left.shift(); point; point = left.shift()) {
      const { violations } = await run(point)
      const where = `${point.fault} at ${point.call} ${point.nth}`
      found.push(...violations.map(({ invariant, what }) => `${where}: ${invariant} ${what}`))
    }
  }
  await Promise.all(Array.from({ length: atATime }, worker))
  return found
}

for (const [what, fault, isLasting, count] of [
  ['killed before or after any call to disk or network', 'kill', false, 12],
  ['whose disk fails once', 'EIO', false, 6],
  ['whose disk fails for good', 'EIO', true, 3],
  ['whose disk is full', 'ENOSPC', true, 3],
  ['that has no descriptors left', 'EMFILE', true, 3],
] as const) {
  test(`an agent ${what} loses nothing, does nothing twice, and answers everything once`, {
    timeout: 300_000,
  }, async () => {
    const points = sample(fault, isLasting, await listCalls(fault, calls), count)
    expect(await findingsAt(points, (point) => runPoint(point, calls)), `CRASH_SEED=${seed}`).toEqual([])
  })
}

test('an agent killed while it takes over what another left keeps every promise', { timeout: 300_000 }, async () => {
  const leftBy = leavings[seed % leavings.length]
  const options = { ...calls, leftBy }
  const points = sample('kill', false, await listCalls('kill', options), 3)
  expect(await findingsAt(points, (point) => runPoint(point, options)), `CRASH_SEED=${seed}`).toEqual([])
})

for (const way of Object.keys(ways) as Way[]) {
  test(`an agent killed before its reply to the platform, or while it stores an order, loses no order that is handed over by ${way}`, {
    timeout: 120_000,
  }, async () => {
    const points = ['send answer to a caller', 'sync orders.db-wal'].map(
      (call): Point => ({ fault: 'kill', call, nth: 4, isLasting: false }),
    )
    const results = await Promise.all(
      points.map((point) => runPoint(point, { makeScenario: () => bridgeScenario(way) })),
    )
    expect(results).toEqual(points.map(() => ({ isReached: true, violations: [] })))
  })
}

test(`an agent killed ${randomKills} times at random moments under load keeps every promise`, {
  timeout: 300_000,
}, async () => {
  const { requests, violations } = await killAtRandom(randomKills, seed)
  console.log(`CRASH_SEED=${seed}: ${randomKills} kills under ${requests} requests`)
  expect(violations, `CRASH_SEED=${seed}`).toEqual([])
})
