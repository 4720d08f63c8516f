import { parentPort, workerData } from 'node:worker_threads'
import { runSeeds } from './run-seeds.ts'
import type { SeedResult, SeedWork, ThreadMessage } from './run-side-by-side.ts'
import { countRows } from './world/count-rows.ts'
import { wholeWorld } from './world/whole-world.ts'

/** One thread of `runSideBySide`. */

// What a dead process leaves unhandled is ignored. Each run watches for the rest.
process.on('unhandledRejection', () => undefined)
const { options, calledOff, ...range } = workerData as SeedWork
const rows = countRows()
const simulation = wholeWorld(options)
const { failed, ...figures } = await runSeeds(simulation, {
  ...range,
  isCalledOff: () => Atomics.load(calledOff, 0) !== 0,
  onRun: (seed) => say({ kind: 'begins', seed }),
})
if (failed) Atomics.store(calledOff, 0, 1)
await simulation.end?.()
const result: SeedResult = {
  ...figures,
  failed: failed && { seed: failed.seed, message: failed.violation?.message ?? '' },
  rows,
}
say({ kind: 'ended', result })

function say(message: ThreadMessage): void {
  parentPort?.postMessage(message)
}
