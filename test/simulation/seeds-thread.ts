import { parentPort, workerData } from 'node:worker_threads'
import { runSeeds } from './run-seeds.ts'
import type { SeedResult, SeedWork } from './run-side-by-side.ts'
import { countRows } from './world/count-rows.ts'
import { wholeWorld } from './world/whole-world.ts'

/** One thread of `runSideBySide`. */

// What a dead process leaves unhandled is ignored. Each run watches for the rest.
process.on('unhandledRejection', () => undefined)
const { options, calledOff, reached, ...range } = workerData as SeedWork
const rows = countRows()
const simulation = wholeWorld(options)
const { failed, ...figures } = await runSeeds(simulation, {
  ...range,
  isCalledOff: () => Atomics.load(calledOff, 0) !== 0,
  onEvent(seed, virtualMs) {
    reached[0] = Number(seed)
    reached[1] = Math.floor(virtualMs / 1_000)
  },
})
if (failed) Atomics.store(calledOff, 0, 1)
await simulation.end?.()
const result: SeedResult = {
  ...figures,
  failed: failed && { seed: failed.seed, message: failed.violation?.message ?? '' },
  rows,
}
parentPort?.postMessage(result)
