import type { Logger } from 'pino'
import type { Clock } from '../clock/clock.ts'
import type { Tables } from '../store/tables.ts'
import type { Chance } from './random.ts'
import type { Settings } from './settings.ts'

/**
 * What every use case of the platform works with. Use cases that write run inside `transact` and are synchronous; what
 * they throw undoes their writes.
 */
export interface Platform {
  readonly tables: Tables
  readonly clock: Clock
  readonly chance: Chance
  readonly settings: Settings
  readonly log: Logger
  /** Runs `work` in a database transaction and gives its result once that is committed. */
  transact<Result>(work: () => Result): Promise<Result>
  /** Inside `transact`: a part that can fail and be undone while the rest stays. */
  undoable<Result>(work: () => Result): Result
  /** The stub's address as others see it, without a trailing slash; known once it listens. */
  publicUrl(): string
}
