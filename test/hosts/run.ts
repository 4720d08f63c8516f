/**
 * `npm run test:hosts [-- --minutes N] [--seed N]`: three real agents and a real PostgreSQL under faults, with a checker.
 * Exit 0, or 1 with a violation. Not part of `npm test`, which runs half a minute of it.
 */
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { runHosts } from './hosts-run.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const seed = Number(values.seed ?? Math.floor(Date.now() / 1_000))
console.log(`seed ${seed}`)
const { violations, ...figures } = await runHosts({
  stormMs: Number(values.minutes ?? 10) * 60_000,
  random: new Random(String(seed)),
  say: console.log,
})
console.log(JSON.stringify(figures, null, 2))
for (const violation of violations) console.log(`VIOLATION: ${violation}`)
console.log(`${violations.length} violations`)
process.exit(violations.length > 0 ? 1 : 0)
