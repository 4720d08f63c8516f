import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { ways } from './game-server.ts'
import { World } from './world.ts'

// One seed, so that each run does the same. Give ORDERS_SEED for another one, and ORDERS_RUNS for more runs of it.
const seed = Number(process.env['ORDERS_SEED'] ?? 1_819_382_777)
const numRuns = Number(process.env['ORDERS_RUNS'] ?? 8)
const timeoutMs = 90_000 + numRuns * 5_000

for (const way of ways) {
  const title = `whatever fails, a paid order is never lost, and only the game server's reply acknowledges it: by ${way}`
  test(title, { timeout: timeoutMs + 30_000 }, async () => {
    let steps = 0
    let runs = 0
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        await using world = new World(way)
        await world.start()
        await fc.asyncModelRun(() => ({ model: world, real: world }), sequence)
        await world.heal()
        steps += world.steps
        runs++
      }),
      // Ends a search for a smaller counterexample in time to print what it has; runs that are too slow are no success.
      { seed, numRuns, endOnFailure: false, interruptAfterTimeLimit: timeoutMs, markInterruptAsFailure: true },
    )
    console.log(`ORDERS_SEED=${seed}: ${steps} steps in ${runs} runs, ${way}`)
    expect(runs).toBe(numRuns)
    expect(steps).toBeGreaterThan(numRuns)
  })
}
