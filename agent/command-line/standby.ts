import type { Clock } from '../clock/clock.ts'
import { LockedError } from '../ownership/ownership.ts'

/** How a standby waits, and how it ends. */
export interface StandbyOptions {
  readonly clock: Pick<Clock, 'sleep'>
  /** Called once, when another agent is waited for. */
  readonly onStandby: (error: LockedError) => void
  /** Resolves when a signal wants the end. */
  readonly stopSignal: Promise<unknown>
}

/**
 * Starts an agent as soon as no other agent has its state and spool.
 *
 * @returns undefined if a signal came while another agent was waited for.
 */
export async function startInStandby<Agent>(
  start: () => Promise<Agent>,
  { clock, onStandby, stopSignal }: StandbyOptions,
): Promise<Agent | undefined> {
  for (let isReported = false; ; isReported = true) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof LockedError)) throw error
      if (!isReported) onStandby(error)
      if (await Promise.race([stopSignal.then(() => true), clock.sleep(error.retryMs)])) return undefined
    }
  }
}
