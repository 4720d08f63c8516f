import { expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { runHosts } from './hosts-run.ts'

test('three agents and their store keep every promise under half a minute of faults', {
  timeout: 240_000,
}, async () => {
  const random = new Random(new Date().toISOString().slice(0, 10))
  const { violations, purchases, sales } = await runHosts({ stormMs: 30_000, random, say: console.log })
  expect(violations).toEqual([])
  expect(Math.min(purchases, sales)).toBeGreaterThan(5)
})
