import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import { replaceFile } from '../durable-files/replace-file.ts'
import { ascii } from './answer-file.ts'
import { probeSpool, reasonsAgainstSharing, type SpoolDirs } from './spool-dirs.ts'

/** What the heartbeat needs. */
export interface HeartbeatOptions {
  readonly root: string
  /** Name and version. */
  readonly agent: string
  readonly clock: Clock
  /** Why the agent is not ready; empty when it is. */
  readonly reasons: () => readonly string[]
  readonly onError: (error: Error) => void
}

const intervalMs = 5_000

/**
 * Rewrites `<spool>/agent.json` every 5 s, for programs that cannot do HTTP: `{ agent, at, ready, reasons }`. When `at`
 * is old, the agent does not run.
 *
 * @returns Ends it, with a last heartbeat that says so.
 */
export function startHeartbeat({ root, agent, clock, reasons, onError }: HeartbeatOptions): () => void {
  const write = (state: { ready: boolean; reasons: readonly string[] }): void => {
    const text = JSON.stringify({ agent, at: new Date(clock.wallMs()).toISOString(), ...state })
    try {
      // Not synced: after a power cut this heartbeat is of no use.
      replaceFile(join(root, 'agent.json'), `${ascii(text)}\n`, 0o644)
    } catch (error) {
      onError(error as Error)
    }
  }
  let cancel: () => void = () => undefined
  const beat = (): void => {
    const now = reasons()
    write({ ready: now.length === 0, reasons: now })
    cancel = clock.after(intervalMs, beat)
  }
  beat()
  return () => {
    cancel()
    write({ ready: false, reasons: ['the agent was stopped'] })
  }
}

/**
 * Whether the spool can be worked with. A failure of one file says nothing about the others, so after one the spool is
 * tried until that succeeds.
 */
export class SpoolHealth {
  readonly #dirs: SpoolDirs
  #isInDoubt = false

  constructor(dirs: SpoolDirs) {
    this.#dirs = dirs
  }

  /** Something could not be read, claimed or answered. */
  doubt(): void {
    this.#isInDoubt = true
  }

  /** Why requests are not read or answered, each with its cure. Empty when they are. */
  reasons(): readonly string[] {
    const reasons = reasonsAgainstSharing(this.#dirs)
    if (!this.#isInDoubt) return reasons
    try {
      probeSpool(this.#dirs, 'left-out')
      this.#isInDoubt = false
      return reasons
    } catch (error) {
      return [(error as Error).message, ...reasons]
    }
  }
}
