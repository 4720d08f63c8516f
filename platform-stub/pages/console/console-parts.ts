import type { Context } from 'hono'
import type { ControlParts, StubEnv } from '../../developer/control/control-parts.ts'
import type { ConsoleQueries } from '../../store/console-queries.ts'
import type { Changes } from '../changes.ts'

/** What the console uses: everything that the control routes use, and its own queries. */
export interface ConsoleParts extends ControlParts {
  readonly changes: Changes
  readonly queries: ConsoleQueries
}

/** A request to the console. */
export type ConsoleContext = Context<StubEnv>
