import type { Clock } from '../clock/clock.ts'
import { SyncFailedError } from '../durable-files/disk-errors.ts'

/** How long to go on, and who hears of it. */
export interface Persistence {
  readonly clock: Clock
  readonly stopping: AbortSignal
  /** Told of every failure but a sync's. */
  readonly troubled: (error: Error) => void
  /** Told when a sync failed: nothing is tried again after that. */
  readonly broke: (error: SyncFailedError) => void
  /** Told once, when it goes on failing. */
  readonly held: () => void
}

const waitsMs = [20, 40, 80, 160, 320]
const longWaitMs = 1_000

/**
 * Tries something again until it succeeds: a claim is a promise.
 *
 * @returns undefined when the agent was stopped before.
 */
export async function keepTrying<Result>(
  act: () => Promise<Result>,
  { clock, stopping, troubled, broke, held }: Persistence,
): Promise<Result | undefined> {
  for (let tries = 0; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (error instanceof SyncFailedError) {
        broke(error)
        return undefined
      }
      troubled(error as Error)
      if (stopping.aborted) return undefined
      if (tries === waitsMs.length) held()
      await clock.sleep(waitsMs[tries] ?? longWaitMs)
    }
  }
}
