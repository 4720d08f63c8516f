import { join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import type { Files } from '../durable-files/files.ts'
import { replaceFile } from '../durable-files/replace-file.ts'
import { asciiLine } from './answer-file.ts'

/** What the heartbeat needs. */
export interface HeartbeatOptions {
  readonly root: string
  readonly files: Files
  /** Name and version. */
  readonly agent: string
  readonly clock: Clock
  /** Why the agent is not ready; empty when it is. */
  readonly reasons: () => readonly string[]
  /** The names of the files that wait in `events/`. */
  readonly events: () => readonly string[]
  readonly onError: (error: Error) => void
}

const intervalMs = 5_000

/**
 * Rewrites `<spool>/agent.json` every 5 s, for programs that cannot do HTTP: `{ agent, at, ready, reasons,
 * events }`. When `at` is old, the agent does not run.
 *
 * @returns Ends it, with a last heartbeat that says so.
 */
export function startHeartbeat({ root, files, agent, clock, reasons, events, onError }: HeartbeatOptions): () => void {
  const write = (state: { ready: boolean; reasons: readonly string[] }): void => {
    const text = JSON.stringify({ agent, at: new Date(clock.wallMs()).toISOString(), ...state, events: events() })
    try {
      // Not synced: after a power cut this heartbeat is of no use.
      replaceFile(files, join(root, 'agent.json'), asciiLine(text), 0o644)
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
