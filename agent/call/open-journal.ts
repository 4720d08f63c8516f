import type { Clock } from '../clock/clock.ts'
import type { IdempotencyJournal } from './idempotency-journal.ts'
import type { KnownObservations, ObservationsOptions } from './observations.ts'

/** What a journal needs. */
export interface JournalOptions {
  /** Only the caller may own it. */
  readonly stateDir: string
  readonly clock: Clock
  /** Whether a request with this id was claimed and is not answered yet: its entry outlives its window. */
  readonly isUnanswered: (id: string) => boolean
  /** Called when calls with an id are refused from now on, because nothing can be stored; without a cause when that ends. */
  readonly onFull: (cause: Error | undefined) => void
  /** Called when the journal fails for another reason than a full disk. The agent must stop rather than guess. */
  readonly onFatal: (error: Error) => void
}

/** Everything that the agent remembers about calls. */
export interface Journal extends IdempotencyJournal {
  /** Opens what is known about items. Once for each journal. */
  openObservations(options: ObservationsOptions): KnownObservations
}
