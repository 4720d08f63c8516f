import type { Logger } from 'pino'
import type { Clock } from '../clock/clock.ts'
import type { Tables } from '../store/tables.ts'
import type { Random } from './random.ts'
import type { Refusal } from './refusal.ts'
import type { Settings } from './settings.ts'
import type { Signing } from './signing.ts'

/** What every use case of the platform works with. Use cases that write run inside `transact`. */
export interface Platform {
  readonly tables: Tables
  readonly clock: Clock
  readonly random: Random
  readonly signing: Signing
  readonly settings: Settings
  readonly log: Logger
  /**
   * Runs `work` in one database transaction, which is committed on return. A refusal that `work` returns undoes nothing.
   *
   * @returns What `work` returned, or STORE_FULL where the disk had no room and nothing has happened.
   */
  transact<Result>(work: () => Result): Result | Refusal
  /** Inside `transact`: `action` is called after the commit, and not at all where there is none. */
  afterCommit(action: () => void): void
  /** The stub's address as others see it, without a trailing slash; known once it listens. */
  publicUrl(): string
}
