import type { Scheduler } from '../../scheduler.ts'
import type { AgentHost } from '../agent-host.ts'
import { waveMs } from '../day.ts'
import type { WaveTime } from './wave-time.ts'

const dayMs = 24 * 3_600_000
/** From an hour to longer than the agent remembers an order that is over. */
const sleepMs = { min: dayMs / 24, max: 40 * dayMs }
/** Soon after the wave: what it has left is still under way. */
const beginsMs = { min: waveMs, max: waveMs + 30_000 }
const powerlessRate = 0.5

/** All machines sleep or are off for days. Then the agent removes everything that it keeps for a day or a month. */
export function sleepForDays(
  agents: readonly AgentHost[],
  { random, later }: WaveTime,
  { scheduler }: { readonly scheduler: Scheduler },
): void {
  const lastsMs = random.magnitude(sleepMs.min, sleepMs.max)
  const powerless = agents.filter(() => random.happens(powerlessRate))
  later(beginsMs, 'the world sleeps for days', () => {
    for (const { host } of powerless) host.cutPower(random)
    scheduler.sleep(lastsMs)
    for (const { onSlept } of agents) onSlept()
    for (const { host } of powerless) host.startAll()
  })
}
