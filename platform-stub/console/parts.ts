import type { Context } from 'hono'
import type { ControlParts } from '../control/parts.ts'
import type { Changes } from '../pages/changes.ts'
import type { ConsoleQueries } from '../store/console.ts'
import type { StubEnv } from '../web/environment.ts'

/** What the console is made from: everything that the control routes reach, and reading of its own. */
export interface ConsoleParts extends ControlParts {
  readonly changes: Changes
  readonly queries: ConsoleQueries
}

/** A request to the console. */
export type ConsoleContext = Context<StubEnv>
