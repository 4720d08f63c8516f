import { runSeeds } from '../run-seeds.ts'
import { wholeWorld } from '../world/whole-world.ts'

process.on('unhandledRejection', () => undefined)
const { runs, failed } = await runSeeds(wholeWorld(), {
  firstSeed: 1,
  seconds: Number(process.argv[2]),
  twice: 0,
})
if (failed) process.stdout.write(`${runs} seeds: ${failed.violation?.message.split('\n')[0]?.slice(0, 100)}\n`)
