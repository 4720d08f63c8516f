import type { AgentProcess, SpawnOptions } from '../agent/fixtures/agent-process.ts'
import type { World } from './world.ts'

/** What agents that follow one another are put through, in a world of its own. */
export interface Scenario extends AsyncDisposable {
  readonly world: World
  spawn(options: SpawnOptions): AgentProcess
  /** The work of the first agent. Resolves when nothing but answers is missing, or the agent has ended. */
  begin(agent: AgentProcess): Promise<void>
  /** The work of each agent after it: what the earlier ones have not done. */
  goOn(agent: AgentProcess): Promise<void>
  /** Whether nothing is missing any more. */
  isSettled(): boolean
  /** Everything that was answered is asked once more. For an agent without a fault. */
  repeat(agent: AgentProcess): Promise<void>
  /** Checks the invariants on the directories. For after the end of each agent. */
  checkStored(): void
  /** Checks the invariants on everything, after the end of the last agent. */
  checkAtEnd(options: { readonly isOrderKnown: boolean }): void
}

/** Deadlines short enough that a fault that lasts is over soon. */
export const shortDeadlines = { SERVICE_CALL_DEADLINE_MS: '2000', SERVICE_ATTEMPT_TIMEOUT_MS: '1000' }

/** Resolves when nothing is missing any more, or after a bound. */
export async function settled(isSettled: () => boolean, boundMs: number): Promise<void> {
  const endMs = performance.now() + boundMs
  while (!isSettled() && performance.now() < endMs) await pause(5)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
