/**
 * `npm run test:hosts`: three real agents and a real PostgreSQL under faults, with a checker.
 * `-- --minutes N` (10): all kinds of faults, and a store that loses its power.
 * `-- --kills N --failovers N`: N kills of agents, and N failovers of the store to its replica.
 * `-- --seed N`: chooses the same faults again.
 * Exit 0, or 1 with a violation. Not part of `npm test`, which runs a minute of it.
 */
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { runHosts } from './hosts-run.ts'
import { startFailoverStorm, startMixedStorm } from './storms.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    kills: { type: 'string' },
    failovers: { type: 'string' },
    seed: { type: 'string' },
  },
})
const { kills, failovers, minutes = 10 } = values
const seed = Number(values.seed ?? Math.floor(Date.now() / 1_000))
console.log(`seed ${seed}`)
const storm =
  kills === undefined && failovers === undefined
    ? await startMixedStorm(Number(minutes) * 60_000)
    : await startFailoverStorm({ kills: Number(kills ?? 0), failovers: Number(failovers ?? 0) })
const { violations, ...figures } = await runHosts({ storm, random: new Random(String(seed)), say: console.log })
await storm[Symbol.asyncDispose]()
console.log(JSON.stringify(figures, null, 2))
for (const violation of violations) console.log(`VIOLATION: ${violation}`)
console.log(`${violations.length} violations`)
process.exit(violations.length > 0 ? 1 : 0)
