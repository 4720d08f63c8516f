import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentHome, type AgentProcess, type SpawnOptions, spawnAgent } from '../agent/fixtures/agent-process.ts'
import { askAgain, askAll, askOnceMore } from './workload.ts'
import { settled, type Violation, World } from './world.ts'

/** What happens at a call: the process is killed, or the call fails. */
export type Fault = 'kill' | 'EIO' | 'ENOSPC' | 'EMFILE'

/** One of an agent's calls to disk or network, and what happens there. */
export interface Point {
  readonly fault: Fault
  /** As `rename claim in outbox`. */
  readonly call: string
  /** Which of these calls, from 1. */
  readonly nth: number
  /** All calls after it fail too. */
  readonly isLasting: boolean
}

/** How a fault is brought to a point. */
export interface Injection {
  readonly spawn: SpawnOptions
  /** Whether the run came to the point. To be asked when the agent has ended. */
  readonly wasReached: () => boolean
}

export interface PointResult {
  readonly isReached: boolean
  readonly violations: readonly Violation[]
}

const preload = join(import.meta.dirname, 'hook', 'preload.ts')
/** Deadlines short enough that a fault that lasts is over soon. */
const agentEnv = { SERVICE_CALL_DEADLINE_MS: '2000', SERVICE_ATTEMPT_TIMEOUT_MS: '1000' }
/** More than the 23 s for which a request waits behind an abandoned attempt of its item. */
const settledMs = 40_000
const lastingSettledMs = 1_500
const stoppedMs = 5_000

/**
 * Runs the workload over an agent that meets a fault, restarts it, and holds all that was seen to the invariants.
 *
 * @param leftBy Where an agent before that one was killed: then it is the recovery that meets the fault.
 */
export async function runPoint(
  point: Point,
  inject: (home: AgentHome, point: Point) => Injection = injectByHook,
  leftBy?: Point,
): Promise<PointResult> {
  await using world = await World.make()
  if (leftBy) await meet(world, injectByHook(world.home, leftBy).spawn, askAll, settledMs)
  const { spawn, wasReached } = inject(world.home, point)
  await meet(world, spawn, leftBy ? askAgain : askAll, point.isLasting ? lastingSettledMs : settledMs)
  const isReached = wasReached()
  await recover(world)
  world.checkAtEnd({ isOrderKnown: !losesPlace(point) })
  return { isReached, violations: world.violations }
}

/** A request that cannot be claimed is passed over, and no promise is made about its order. */
function losesPlace({ fault, call }: Point): boolean {
  return fault !== 'kill' && call === 'rename request or answer in outbox'
}

/** The calls that a run without a fault makes, in their order, as far as this fault can meet them. */
export async function listCalls(fault: Fault, leftBy?: Point): Promise<readonly string[]> {
  await using world = await World.make()
  if (leftBy) await meet(world, injectByHook(world.home, leftBy).spawn, askAll, settledMs)
  const none: Point = { fault, call: '', nth: 1, isLasting: false }
  await meet(world, injectByHook(world.home, none).spawn, leftBy ? askAgain : askAll, settledMs)
  return JSON.parse(readFileSync(reportFileOf(world.home, none), 'utf8')) as string[]
}

/** By the hook that is preloaded into the agent: needs nothing but Node. */
function injectByHook(home: AgentHome, point: Point): Injection {
  const reportFile = reportFileOf(home, point)
  const env = {
    CRASH_ROOT: home.dir,
    CRASH_FAULT: point.fault,
    CRASH_CALL: point.call,
    CRASH_NTH: String(point.nth),
    CRASH_LASTING: point.isLasting ? '1' : '0',
    CRASH_REPORT: reportFile,
  }
  return { spawn: { env, nodeArgs: ['--import', preload] }, wasReached: () => existsSync(reportFile) }
}

const reportFileOf = ({ dir }: AgentHome, { call }: Point) => join(dir, `report-${call.replaceAll(' ', '-')}`)

/** An agent at work, until it ends or everything is answered. */
async function meet(
  world: World,
  spawn: SpawnOptions,
  ask: (world: World, agent: AgentProcess) => Promise<void>,
  boundMs: number,
): Promise<void> {
  const env = { ...agentEnv, SERVICE_SPOOL_DIR: world.home.spoolDir, ...spawn.env }
  await using agent = spawnAgent(world.home, { ...spawn, env })
  const asking = ask(world, agent)
  await Promise.race([agent.ended, asking.then(() => settled(world, boundMs))])
  await stopWithin(agent, stoppedMs)
  await asking
  world.checkOutput(agent)
}

/** An agent without a fault. */
async function recover(world: World): Promise<void> {
  await using agent = spawnAgent(world.home, { env: { ...agentEnv, SERVICE_SPOOL_DIR: world.home.spoolDir } })
  try {
    await agent.listening
  } catch (error) {
    world.violate('I1', `no restart: ${(error as Error).message.slice(-500)}`)
    return
  }
  await askAgain(world, agent)
  await settled(world, settledMs)
  await askOnceMore(world, agent)
  const end = await stopWithin(agent, 12_000)
  if (end.code !== 0) world.violate('I10', `a healthy agent ended with ${end.code ?? end.signal}`)
  world.checkOutput(agent)
}

async function stopWithin(agent: AgentProcess, boundMs: number): ReturnType<AgentProcess['stop']> {
  const kill = setTimeout(() => void agent.kill(), boundMs)
  const end = await agent.stop()
  clearTimeout(kill)
  return end
}
