import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { Model } from './model.ts'
import { startReal } from './real.ts'

// Give MODEL_SEED to repeat a run, and MODEL_RUNS to make more of them.
const seed = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const numRuns = Number(process.env['MODEL_RUNS'] ?? 10)

test('whatever is done to the platform in whatever order, it does what the interface says, and its ledger is exact', {
  timeout: 120_000 + numRuns * 5_000,
}, async () => {
  let runs = 0
  let steps = 0
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      await using real = await startReal()
      const setup = async () => {
        const model = new Model(real.nowMs())
        for (const [n, quantity] of [9, 4].entries()) {
          model.register(`item-${n}`, quantity)
          await real.register(`item-${n}`, quantity)
        }
        return { model, real }
      }
      await fc.asyncModelRun(setup, sequence)
      steps += real.steps
      runs++
    }),
    {
      seed,
      numRuns,
      endOnFailure: false,
      // Ends a search for a smaller counterexample in time to print what it has; runs that are too slow are not a
      // success.
      interruptAfterTimeLimit: 90_000 + numRuns * 4_000,
      markInterruptAsFailure: true,
    },
  )
  console.log(`MODEL_SEED=${seed}: ${steps} steps in ${numRuns} runs`)
  expect(runs).toBe(numRuns)
  expect(steps).toBeGreaterThan(numRuns)
})
