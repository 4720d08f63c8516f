import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentProcess, spawnAgent } from '../agent/agent-process.ts'
import { type Asked, type Violation, World } from './world.ts'

/** What happens at a point: the process is killed, or its call fails. */
export type Fault = 'kill' | 'EIO' | 'ENOSPC' | 'EMFILE'

export interface Point {
  readonly fault: Fault
  /** The n-th call that the fault can meet, from 1. */
  readonly at: number
  /** The call fails, and so do all after it. */
  readonly isLasting: boolean
}

export interface PointResult {
  /** What the call was; undefined when the run ended before it. */
  readonly reached: string | undefined
  readonly violations: readonly Violation[]
}

const hook = join(import.meta.dirname, 'kill-at.ts')
/** Deadlines short enough that a fault that lasts is over soon. */
const agentEnv = { SERVICE_CALL_DEADLINE_MS: '2000', SERVICE_ATTEMPT_TIMEOUT_MS: '1000' }
const lastingMs = 2_500
const settledMs = 20_000

/** Runs the workload over an agent that meets a fault, restarts it, and holds all that was seen to the invariants. */
export async function runPoint(point: Point): Promise<PointResult> {
  await using world = await World.make()
  const reportFile = join(world.home.dir, 'report.json')
  const env = {
    ...agentEnv,
    SERVICE_SPOOL_DIR: world.home.spoolDir,
    CRASH_ROOT: world.home.dir,
    CRASH_AT: String(point.at),
    CRASH_FAULT: point.fault,
    CRASH_LASTING: point.isLasting ? '1' : '0',
    CRASH_REPORT: reportFile,
  }
  await using crashing = spawnAgent(world.home, { env, nodeArgs: ['--import', hook] })
  const asking = askAll(world, crashing)
  await Promise.race([crashing.ended, asking.then(() => settled(world, point.isLasting ? lastingMs : settledMs))])
  await stopWithin(crashing, 5_000)
  await asking
  world.checkOutput(crashing)
  const reached = existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')).reached as string) : undefined
  await recover(world)
  world.checkAtEnd()
  return { reached, violations: world.violations }
}

/** The calls that a run without a fault makes, as far as this fault can meet them. */
export async function listPoints(fault: Fault): Promise<readonly string[]> {
  await using world = await World.make()
  const reportFile = join(world.home.dir, 'report.json')
  const env = {
    ...agentEnv,
    SERVICE_SPOOL_DIR: world.home.spoolDir,
    CRASH_ROOT: world.home.dir,
    CRASH_FAULT: fault,
    CRASH_REPORT: reportFile,
  }
  await using agent = spawnAgent(world.home, { env, nodeArgs: ['--import', hook] })
  await askAll(world, agent)
  await settled(world, settledMs)
  await agent.stop()
  return (JSON.parse(readFileSync(reportFile, 'utf8')) as { points: string[] }).points
}

const purchase = (itemRef: string) => ({ itemRef, quantity: 1, buyerCharacterRef: 'char-2' })
const registration = (itemRef: string) => ({
  itemRef,
  gameItemId: 'sword-9',
  itemName: 'Espada +9',
  attributes: 'ataque 120, à prova de falhas',
  quantityListed: 3,
  unitAmountCents: 1050,
  sellerCharacterRef: 'char-1',
})
const observation = (itemRef: string, observedQuantity: number) => ({ itemRef, observedQuantity })

/** A few of each: once, idempotent in order, safe; through files before and after the start, and through HTTP. */
async function askAll(world: World, agent: AgentProcess): Promise<void> {
  const byFile = (id: string, operation: Asked['operation'], input: Asked['input']) =>
    world.ask({ id, through: 'file', operation, input })
  const byHttp = (id: string, operation: Asked['operation'], input: Asked['input']) =>
    world.ask({ id, through: 'http', operation, input })
  byFile('f-buy-1', 'transaction.create', purchase('item-f1'))
  byFile('f-stock-1', 'market.adjust-stock', observation('item-f', 5))
  byFile('f-stock-2', 'market.adjust-stock', observation('item-f', 3))
  const chains = [
    [byHttp('h-buy-1', 'transaction.create', purchase('item-h1'))],
    [byHttp('h-sell-1', 'market.register', registration('item-h2'))],
    [
      byHttp('h-stock-1', 'market.adjust-stock', observation('item-h', 5)),
      byHttp('h-stock-2', 'market.adjust-stock', observation('item-h', 3)),
    ],
    [byHttp('h-ask-1', 'market.eligibility', { characterRef: 'char-1' })],
  ]
  const isListening = await agent.listening.then(
    () => true,
    () => false,
  )
  byFile('f-sell-1', 'market.register', registration('item-f2'))
  byFile('f-deliver-1', 'transaction.delivery', { transactionId: 42 })
  byFile('f-bad-1', 'transaction.create', {})
  byFile('f-link-1', 'character.link', { characterRef: 'char-9' })
  if (isListening) await Promise.all(chains.map((chain) => callInTurn(world, agent, chain)))
}

/** Calls that wait for each other's answer; one without an answer ends them. */
async function callInTurn(world: World, agent: AgentProcess, chain: readonly Asked[]): Promise<void> {
  for (const asked of chain) {
    if (asked.answers.length === 0 && !(await world.callHttp(agent, asked))) return
  }
}

/** An agent without a fault: what is unanswered is asked again, then every id once more. */
async function recover(world: World): Promise<void> {
  await using agent = spawnAgent(world.home, { env: { ...agentEnv, SERVICE_SPOOL_DIR: world.home.spoolDir } })
  try {
    await agent.listening
  } catch (error) {
    world.violate('I1', `no restart: ${(error as Error).message.slice(-500)}`)
    return
  }
  const byHttp = world.asked.filter(({ through }) => through === 'http')
  await callInTurn(world, agent, byHttp)
  await settled(world, settledMs)
  for (const asked of byHttp) {
    // Repeating an observation that was not kept is a new one, and comes last.
    const wasAnswered = asked.answers.length > 0 && asked.operation !== 'market.adjust-stock'
    if (wasAnswered) await world.callHttp(agent, asked)
  }
  const end = await stopWithin(agent, 12_000)
  if (end.code !== 0) world.violate('I10', `a healthy agent ended with ${end.code ?? end.signal}`)
  world.checkOutput(agent)
}

/** Resolves when everything is answered, or after a bound. */
export async function settled(world: World, boundMs: number): Promise<void> {
  const endMs = performance.now() + boundMs
  while (world.unanswered.length > 0 && performance.now() < endMs) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}

async function stopWithin(agent: AgentProcess, boundMs: number): ReturnType<AgentProcess['stop']> {
  const kill = setTimeout(() => void agent.kill(), boundMs)
  const end = await agent.stop()
  clearTimeout(kill)
  return end
}
