import { expect, test } from 'vitest'
import { type Fault, listPoints, type Point, runPoint } from './points.ts'
import { killAtRandom } from './random-kills.ts'
import { seededRandom } from './seeded-random.ts'

// A part of `npm run test:crash`, which goes through every point. Give CRASH_SEED to repeat a run.

const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const atATime = 2

/** A point of each kind of call, and of the kinds with most calls some more, as many as wanted in all. */
function sample(fault: Fault, isLasting: boolean, calls: readonly string[], count: number): Point[] {
  const random = seededRandom(seed)
  const shuffled = calls
    .map((call, index) => ({ call, at: index + 1, order: random() }))
    .sort((a, b) => a.order - b.order)
  const seen = new Map<string, number>()
  const inTurn = shuffled
    .map((point) => {
      const round = seen.get(point.call) ?? 0
      seen.set(point.call, round + 1)
      return { ...point, round }
    })
    .sort((a, b) => a.round - b.round)
  return inTurn.slice(0, count).map(({ at }) => ({ fault, at, isLasting }))
}

for (const [what, fault, isLasting, count] of [
  ['killed before or after any call to disk or network', 'kill', false, 24],
  ['whose disk fails once', 'EIO', false, 8],
  ['whose disk fails for good', 'EIO', true, 4],
  ['whose disk is full', 'ENOSPC', true, 5],
  ['that has no descriptors left', 'EMFILE', true, 4],
] as const) {
  test(`an agent ${what} loses nothing, does nothing twice, and answers everything once`, {
    timeout: 120_000,
  }, async () => {
    const points = sample(fault, isLasting, await listPoints(fault), count)
    const found: string[] = []
    const worker = async (): Promise<void> => {
      for (let point = points.shift(); point; point = points.shift()) {
        const { reached, violations } = await runPoint(point)
        const where = `${fault} at ${point.at} (${reached})`
        found.push(...violations.map(({ invariant, what: fact }) => `${where}: ${invariant} ${fact}`))
      }
    }
    await Promise.all(Array.from({ length: atATime }, worker))
    expect(found, `CRASH_SEED=${seed}`).toEqual([])
  })
}

test('an agent killed 15 times at random moments under load keeps every promise', { timeout: 120_000 }, async () => {
  const { requests, violations } = await killAtRandom(15, seed)
  console.log(`CRASH_SEED=${seed}: 15 kills under ${requests} requests`)
  expect(violations, `CRASH_SEED=${seed}`).toEqual([])
})
