import { expect, test } from 'vitest'
import { Random } from '../simulation/random.ts'
import { runHosts } from './hosts-run.ts'
import { type Storm, startFailoverStorm, startMixedStorm } from './storms.ts'

async function weather(storm: Storm): Promise<void> {
  const random = new Random(new Date().toISOString().slice(0, 10))
  const { violations, purchases, sales } = await runHosts({ storm, random, say: console.log })
  expect(violations).toEqual([])
  expect(Math.min(purchases, sales)).toBeGreaterThan(5)
}

test('three agents and their store keep every promise under half a minute of faults', {
  timeout: 240_000,
}, async () => {
  await using storm = await startMixedStorm(30_000)
  await weather(storm)
})

test('three agents keep every promise while they are killed and their store fails over', {
  timeout: 240_000,
}, async () => {
  await using storm = await startFailoverStorm({ kills: 8, failovers: 3 })
  await weather(storm)
})
