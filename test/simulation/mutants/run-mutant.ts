import { runSeeds } from '../run-seeds.ts'
import { wholeWorld } from '../world/whole-world.ts'
import { mutantNamed } from './mutants.ts'

process.on('unhandledRejection', () => undefined)
const { hosts } = mutantNamed(process.env['MUTANT'] ?? '')
const simulation = wholeWorld({ ...(hosts !== undefined && { hosts }) })
const { runs, failed } = await runSeeds(simulation, {
  firstSeed: 1,
  seconds: Number(process.argv[2]),
  twice: 0,
})
await simulation.end?.()
if (failed) process.stdout.write(`${runs} seeds: ${failed.violation?.message.split('\n')[0]?.slice(0, 100)}\n`)
