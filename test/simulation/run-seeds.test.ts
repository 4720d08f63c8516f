import { expect, test } from 'vitest'
import { counting, saveWhole, saveWithoutSync } from './fixtures/counting.ts'
import { describeFailure, NotRepeatableError, runSeeds } from './run-seeds.ts'
import { explain } from './simulation.ts'

test('seeds are run one after another, and their events and faults are counted', async () => {
  const figures = await runSeeds(counting(saveWhole), { firstSeed: 1, seconds: 60, runsMax: 12, twice: 3 })
  expect(figures).toMatchObject({ runs: 12, failed: undefined })
  expect(figures.events).toBeGreaterThan(12_000)
  expect(figures.faultCounts.size).toBeGreaterThan(5)
})

test('the first seeds are run twice only when others have run', async () => {
  const seeds: string[] = []
  const onEvent = (seed: string) => {
    if (seeds.at(-1) !== seed) seeds.push(seed)
  }
  await runSeeds(counting(saveWhole), { firstSeed: 1, seconds: 60, runsMax: 4, twice: 2, onEvent })
  expect(seeds).toEqual(['1', '2', '3', '4', '1', '2'])
})

test('with a step of seven every seventh seed is run', async () => {
  const range = { firstSeed: 1, step: 7, seconds: 60, runsMax: 40, twice: 0 }
  const { failed, runs } = await runSeeds(counting(saveWithoutSync), range)
  expect(failed?.seed).toBe(String(1 + (runs - 1) * 7))
})

test('no run begins after the runs were called off', async () => {
  const asked = [false, false, false, true]
  const isCalledOff = () => asked.shift() ?? true
  const { runs } = await runSeeds(counting(saveWhole), { firstSeed: 1, seconds: 60, twice: 0, isCalledOff })
  expect(runs).toBe(3)
})

test('a broken promise ends it and is shown with its seed, the faults that it takes and its end', async () => {
  const { failed, runs } = await runSeeds(counting(saveWithoutSync), {
    firstSeed: 1,
    seconds: 60,
    runsMax: 40,
    twice: 0,
  })
  if (!failed) return expect.unreachable()
  expect(failed.seed).toBe(String(runs))
  const text = describeFailure(await explain(counting(saveWithoutSync), failed), failed)
  expect(text).toMatch(/^seed \d+: a number that was said is not in the file\n/)
  expect(text).toMatch(/It takes 1 of the \d+ faults of that seed:\n +[\d.]+ s {2}process: power cut.*, for [\d.]+ s\n/)
  expect(text.split('\n').at(-1)).toMatch(/ counter-2 /)
})

test('a world that does not give the same run twice is refused, with the first line that differs', async () => {
  let chance = 0
  const restless = counting((fs, text) => {
    chance = (chance + 1) % 1_000_003
    fs.writeFileSync(`/data/chance-${chance}`, '')
    fs.unlinkSync(`/data/chance-${chance}`)
    saveWhole(fs, text)
  })
  const running = runSeeds(restless, { firstSeed: 1, seconds: 60, runsMax: 1, twice: 1 })
  await expect(running).rejects.toThrow(NotRepeatableError)
  await expect(running).rejects.toThrow(
    /seed 1 does not give the same run twice. It differs first here:\n.*chance-\d+\n.*chance-\d+$/,
  )
})
