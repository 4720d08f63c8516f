import { type AgentHome, type AgentProcess, type SpawnOptions, spawnAgent } from '../agent/fixtures/agent-process.ts'
import { pause, settled } from './scenario.ts'
import { seededRandom } from './seeded-random.ts'
import { type Asked, type Violation, World } from './world.ts'

export interface RandomKillsResult {
  /** How many requests were made meanwhile. */
  readonly requests: number
  readonly violations: readonly Violation[]
}

/** What else happens at a kill. */
export interface PowerCuts {
  readonly spawnOptions: (home: AgentHome) => SpawnOptions
  /** Called when an agent was killed, before the next one starts. */
  readonly onKill: (home: AgentHome) => void
}

const httpCallers = 6
const filesWaitingMax = 20
const livesMsMax = 500

/**
 * In two worlds side by side: kills agents at random times while six callers and a writer of files keep them busy; each agent is followed by the
 * next. A caller without an answer repeats its call with the same id. At the end everything is answered, and the invariants
 * are held against all of it.
 */
export async function killAtRandom(kills: number, seed: number, powerCuts?: PowerCuts): Promise<RandomKillsResult> {
  const [half, otherHalf] = await Promise.all([
    killOneAfterAnother(Math.floor(kills / 2), seed, powerCuts),
    killOneAfterAnother(Math.ceil(kills / 2), seed + 1, powerCuts),
  ])
  return {
    requests: half.requests + otherHalf.requests,
    violations: [...half.violations, ...otherHalf.violations],
  }
}

async function killOneAfterAnother(
  kills: number,
  seed: number,
  powerCuts: PowerCuts | undefined,
): Promise<RandomKillsResult> {
  await using world = await World.make()
  const random = seededRandom(seed)
  const options = powerCuts?.spawnOptions(world.home)
  const spawn = () =>
    spawnAgent(world.home, { ...options, env: { ...options?.env, SERVICE_SPOOL_DIR: world.home.spoolDir } })
  let agent: AgentProcess = spawn()
  let isOver = false

  const caller = async (number: number): Promise<void> => {
    for (let n = 1; !isOver; n++) {
      const asked = world.ask({ through: 'http', ...requestOf(`h${number}`, n) })
      while (!(await world.callHttp(agent, asked))) await pause(5)
    }
  }
  const writer = async (): Promise<void> => {
    for (let n = 1; !isOver; n++) {
      world.ask({ through: 'file', ...requestOf('f', n) })
      while (world.unanswered.length > filesWaitingMax + httpCallers && !isOver) await pause(2)
    }
  }

  const load = [...Array.from({ length: httpCallers }, (_, number) => caller(number)), writer()]
  for (let kill = 1; kill <= kills; kill++) {
    // One in five dies while it starts, the others while they work.
    const isStillborn = random() < 0.2
    if (!isStillborn) await agent.listening
    await pause(random() * livesMsMax)
    await agent.kill()
    world.checkOutput(agent)
    powerCuts?.onKill(world.home)
    agent = spawn()
  }
  await agent.listening
  isOver = true
  await Promise.all(load)
  await settled(() => world.unanswered.length === 0, 60_000)
  const end = await agent.stop()
  if (end.code !== 0) world.violate('I10', `a healthy agent ended with ${end.code ?? end.signal}`)
  world.checkOutput(agent)
  // After a power cut an older observation may run again.
  world.checkAtEnd({ isOrderKnown: !powerCuts })
  return { requests: world.asked.length, violations: world.violations }
}

/** The n-th request of a caller: once, idempotent in order, and safe in turn. */
function requestOf(caller: string, n: number): Pick<Asked, 'id' | 'operation' | 'input'> {
  // Files of one tick of the file system's clock go by name.
  const id = `${caller}-${String(n).padStart(6, '0')}`
  switch (n % 4) {
    case 0:
      return { id, operation: 'market.eligibility', input: { characterRef: id } }
    case 1:
      return { id, operation: 'transaction.create', input: { itemRef: id, quantity: 1, buyerCharacterRef: 'char-2' } }
    default:
      return { id, operation: 'market.adjust-stock', input: { itemRef: `item-${caller}`, observedQuantity: n } }
  }
}
