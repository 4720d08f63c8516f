import type { ControlParts } from '../../developer/control/control-parts.ts'
import type { ConsoleQueries } from '../../store/console-queries.ts'
import type { Changes } from '../changes.ts'
import type { Html } from '../document.ts'
import type { Texts } from '../texts/en.ts'

/** What the console uses: everything that the control routes use, and its own queries. */
export interface SharedParts extends ControlParts {
  readonly changes: Changes
  readonly queries: ConsoleQueries
}

/** The same for one page, with its texts in the reader's language. */
export interface ConsoleParts extends SharedParts {
  readonly t: Texts
}

/** What a page is asked for. */
export interface PageRequest {
  readonly path: string
  readonly query: URLSearchParams
  /** The last part of the path, for a page that shows one thing. */
  readonly id: string
}

/** One page of the console, within what all of them have. */
export interface ConsolePage {
  readonly title: string
  readonly content: Html
  readonly status?: number
}
