import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import type { Clock } from '../clock.ts'
import { ascii } from './answer-file.ts'

/** What `agent.json` tells a program that cannot do HTTP. */
export interface HeartbeatState {
  readonly ready: boolean
  /** Why it is not ready; empty when it is. */
  readonly reasons: readonly string[]
}

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
 * @returns Ends it, and resolves when nothing of it is being written any more.
 */
export function startHeartbeat({ root, agent, clock, state, failed }: HeartbeatOptions): () => Promise<void> {
  let cancel: () => void = () => undefined
  let isOver = false
  let writing: Promise<void> = Promise.resolve()
  const beat = (): void => {
    const text = JSON.stringify({ agent, at: new Date(clock.wallMs()).toISOString(), ...state() })
    // A heartbeat that a power cut loses was of no use any more.
    writing = writeFileAtomic(join(root, 'agent.json'), `${ascii(text)}\n`, { fsync: false })
      .catch(failed)
      .finally(() => {
        if (!isOver) cancel = clock.after(intervalMs, beat)
      })
  }
  beat()
  return () => {
    isOver = true
    cancel()
    return writing
  }
}
