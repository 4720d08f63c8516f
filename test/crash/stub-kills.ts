import { pause } from './scenario.ts'
import { seededRandom } from './seeded-random.ts'
import { startUnsteadyReceiver } from './stub-receiver.ts'
import { Sales } from './stub-sales.ts'
import { StubWorld } from './stub-world.ts'

export interface StubKillsResult {
  /** How many requests were made meanwhile, and how many purchases with them. */
  readonly requests: number
  readonly purchases: number
  readonly violations: readonly string[]
}

const callers = 5
const livesMsMax = 400
const replaysEach = 4

/**
 * In two worlds side by side: kills stubs at random times while five callers list, observe, sell, pay, deliver, refund
 * and dispute, and an unsteady receiver takes the webhooks; each stub is followed by the next on the same data. At the
 * end everything that is due comes due, and what is on disk is checked against every answer that was given.
 */
export async function killStubsAtRandom(kills: number, seed: number): Promise<StubKillsResult> {
  const [half, otherHalf] = await Promise.all([
    killOneAfterAnother('127.0.0.2', Math.floor(kills / 2), seed),
    killOneAfterAnother('127.0.0.3', Math.ceil(kills / 2), seed + 1),
  ])
  return {
    requests: half.requests + otherHalf.requests,
    purchases: half.purchases + otherHalf.purchases,
    violations: [...half.violations, ...otherHalf.violations],
  }
}

async function killOneAfterAnother(host: string, kills: number, seed: number): Promise<StubKillsResult> {
  const random = seededRandom(seed)
  await using receiver = await startUnsteadyReceiver(seededRandom(seed + 2))
  await using world = await StubWorld.make(host, receiver.url)
  const sales = new Sales(world)
  const replays: Promise<void>[] = []
  let isOver = false

  const caller = async (name: string): Promise<void> => {
    await sales.stock(name)
    for (let n = 0; !isOver; n++) await sales.sell(name, n)
  }
  const load = Array.from({ length: callers }, (_, number) => caller(`c${number}`))
  for (let kill = 1; kill <= kills; kill++) {
    // One in five dies while it starts, the others while they work.
    if (random() >= 0.2) {
      await world.listening()
      for (let n = 0; n < replaysEach && world.used.length > 0; n++) {
        const used = world.used[Math.floor(random() * world.used.length)]
        if (used) replays.push(world.replay(used))
      }
    }
    await pause(random() * livesMsMax)
    await world.killAndRestart()
  }
  isOver = true
  await Promise.all([...load, ...replays])
  await Promise.all(world.used.map((sealed) => world.replay(sealed)))
  receiver.steady()
  await world.control('PUT', '/stub/clock', { advanceSeconds: 7_200 })
  await world.stop()
  sales.check(receiver)
  return { requests: world.requests, purchases: sales.count, violations: world.violations }
}
