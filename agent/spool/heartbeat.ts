import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import { replaceFile } from '../durable-files/replace-file.ts'
import { ascii } from './answer-file.ts'

/** What `agent.json` tells a program that cannot do HTTP. */
export interface HeartbeatState {
  readonly ready: boolean
  /** Why it is not ready; empty when it is. */
  readonly reasons: readonly string[]
}

/** What the heartbeat needs. */
export interface HeartbeatOptions {
  readonly root: string
  /** Name and version. */
  readonly agent: string
  readonly clock: Clock
  readonly state: () => HeartbeatState
  readonly failed: (error: Error) => void
}

const intervalMs = 5_000

/**
 * Rewrites `<spool>/agent.json` every 5 s: `{ agent, at, ready, reasons }`. An `at` that stands still is an agent that
 * does not run.
 *
 * @returns Ends it.
 */
export function startHeartbeat({ root, agent, clock, state, failed }: HeartbeatOptions): () => void {
  let cancel: () => void = () => undefined
  const beat = (): void => {
    const text = JSON.stringify({ agent, at: new Date(clock.wallMs()).toISOString(), ...state() })
    try {
      // A heartbeat that a power cut loses was of no use any more.
      replaceFile(join(root, 'agent.json'), `${ascii(text)}\n`, 0o644)
    } catch (error) {
      failed(error as Error)
    }
    cancel = clock.after(intervalMs, beat)
  }
  beat()
  return () => cancel()
}
