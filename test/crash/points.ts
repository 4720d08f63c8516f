import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentHome, AgentProcess, SpawnOptions } from '../agent/fixtures/agent-process.ts'
import { cutPower, spawnOnDisk } from './power-cut.ts'
import { type Scenario, settled } from './scenario.ts'
import type { Violation } from './world.ts'

/** What happens at a call: the process is killed, also with all that was not synced, or the call fails. */
export type Fault = 'kill' | 'power-cut' | 'EIO' | 'ENOSPC' | 'EMFILE'

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
  /** Called when the agent has ended at the point. */
  readonly afterKill?: (() => void) | undefined
}

export interface PointResult {
  readonly isReached: boolean
  readonly violations: readonly Violation[]
}

const preload = join(import.meta.dirname, 'hook', 'preload.ts')
/** More than the 23 s for which a request waits behind an abandoned attempt of its item. */
const settledMs = 40_000
const lastingSettledMs = 1_500
const stoppedMs = 5_000

export interface RunOptions {
  readonly makeScenario: () => Promise<Scenario>
  readonly inject?: (home: AgentHome, point: Point) => Injection
  /** Where an agent before that one was killed: then it is the recovery that meets the fault. */
  readonly leftBy?: Point | undefined
}

/** Runs a scenario over an agent that meets a fault, restarts it, and checks the invariants on all that was seen. */
export async function runPoint(
  point: Point,
  { makeScenario, inject = injectByHook, leftBy }: RunOptions,
): Promise<PointResult> {
  await using scenario = await makeScenario()
  const { world } = scenario
  if (leftBy) await meet(scenario, injectByHook(world.home, leftBy).spawn, settledMs)
  const { spawn, wasReached, afterKill } = inject(world.home, point)
  await meet(scenario, spawn, point.isLasting ? lastingSettledMs : settledMs, { isFirst: !leftBy })
  const isReached = wasReached()
  if (isReached) afterKill?.()
  scenario.checkStored()
  await recover(scenario)
  scenario.checkAtEnd({ isOrderKnown: !losesPlace(point) })
  return { isReached, violations: world.violations }
}

/** A request that cannot be claimed is passed over, and no promise is made about its order. */
function losesPlace({ fault, call }: Point): boolean {
  return fault !== 'kill' && fault !== 'power-cut' && call === 'rename request or answer in outbox'
}

/** The calls that a run without a fault makes, in their order, as far as this fault can meet them. */
export async function listCalls(fault: Fault, { makeScenario, leftBy }: RunOptions): Promise<readonly string[]> {
  await using scenario = await makeScenario()
  const { home } = scenario.world
  if (leftBy) await meet(scenario, injectByHook(home, leftBy).spawn, settledMs)
  const none: Point = { fault, call: '', nth: 1, isLasting: false }
  await meet(scenario, injectByHook(home, none).spawn, settledMs, { isFirst: !leftBy })
  return JSON.parse(readFileSync(reportFileOf(home, none), 'utf8')) as string[]
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
  const wasReached = () => existsSync(reportFile)
  if (point.fault !== 'power-cut') return { spawn: { env, nodeArgs: ['--import', preload] }, wasReached }
  const disk = spawnOnDisk(home)
  const nodeArgs = [...(disk.nodeArgs ?? []), '--import', preload]
  return { spawn: { env: { ...disk.env, ...env }, nodeArgs }, wasReached, afterKill: () => cutPower(home) }
}

const reportFileOf = ({ dir }: AgentHome, { call }: Point) => join(dir, `report-${call.replaceAll(' ', '-')}`)

/** An agent at work, until it ends or nothing is missing. */
async function meet(scenario: Scenario, spawn: SpawnOptions, boundMs: number, { isFirst = true } = {}): Promise<void> {
  await using agent = scenario.spawn(spawn)
  const working = isFirst ? scenario.begin(agent) : scenario.goOn(agent)
  await Promise.race([agent.ended, working.then(() => settled(() => scenario.isSettled(), boundMs))])
  await stopWithin(agent, stoppedMs)
  await working
  scenario.world.checkOutput(agent)
}

/** An agent without a fault. */
async function recover(scenario: Scenario): Promise<void> {
  const { world } = scenario
  await using agent = scenario.spawn({})
  try {
    await agent.listening
  } catch (error) {
    world.violate('I1', `no restart: ${(error as Error).message.slice(-500)}`)
    return
  }
  await scenario.goOn(agent)
  await settled(() => scenario.isSettled(), settledMs)
  await scenario.repeat(agent)
  const end = await stopWithin(agent, 12_000)
  if (end.code !== 0) world.violate('I10', `a healthy agent ended with ${end.code ?? end.signal}`)
  world.checkOutput(agent)
  scenario.checkStored()
}

async function stopWithin(agent: AgentProcess, boundMs: number): ReturnType<AgentProcess['stop']> {
  const kill = setTimeout(() => void agent.kill(), boundMs)
  const end = await agent.stop()
  clearTimeout(kill)
  return end
}
