import type { Clock } from '../clock/clock.ts'
import type { Observation, ObservationEvent } from './observation.ts'

/** How an event is stored. `must-be-stored`: before the call leaves. `if-possible`: now, or when the store is back. `in-memory`: not. */
export type Recording = 'must-be-stored' | 'if-possible' | 'in-memory'

/**
 * A report with a stock has ended.
 *
 * @param lateUntilMs Monotonic time until which it may still reach the platform; 0 if it cannot.
 * @param newest Its stock, if nothing newer is known. It is sent again where something older may arrive late, or may have
 * arrived after it.
 */
export type EndReport = (lateUntilMs: number, newest?: number) => Promise<void>

/** What observations need. */
export interface ObservationsOptions {
  readonly clock: Clock
  /** How long an attempt may reach the platform after it began. */
  readonly lifetimeMs: number
  /** Called with an error that is a bug of the agent and that no caller gets. */
  readonly onError: (error: unknown) => void
}

/**
 * What is known about each item between its calls, so that its newest observation can be sent again. The port is narrow, so
 * that agents on several hosts can share it.
 */
export interface KnownObservations {
  /**
   * Reads what earlier processes left. Call it before the first call, and `endRound` after it.
   *
   * @param lookAt Called with the monotonic time at which something may be due, each time that it may be earlier.
   */
  begin(lookAt: (atMs: number) => void): Promise<void>
  /**
   * An event of an item. Those of a call or a repair come from the one that has the turn of the item.
   *
   * @returns What is known after it.
   * @throws {StoreFullError} It must be stored and could not be. Nothing has changed.
   * @throws {StoreUnreachableError} The same.
   */
  apply(itemRef: string, event: ObservationEvent, recording: Recording): Promise<Observation>
  /**
   * A report with a stock of an item is about to leave, outside the turn of the item. If this agent dies, another one still
   * knows that the report may arrive until then (monotonic).
   *
   * @throws {StoreFullError} It could not be noted. The report must not be sent.
   * @throws {StoreUnreachableError} The same.
   */
  expectReport(itemRef: string, lateUntilMs: number): Promise<EndReport>
  /** The items whose repair is due. */
  findDue(): Promise<readonly string[]>
  /** The repairs that were due have been tried. Calls `lookAt` for the rest. */
  endRound(): void
  /**
   * Writes what could not be written while the store was full, and nothing after that. If nothing can arrive late, the next
   * process need not expect it.
   */
  close(): Promise<void>
}
