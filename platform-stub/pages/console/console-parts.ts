import type { Faults } from '../../faults/faults.ts'
import type { AgentNote } from '../../marketplace/game-servers/agent-beside.ts'
import type { Journal } from '../../partner-api/request-journal.ts'
import type { ConsoleQueries } from '../../store/console-queries.ts'
import type { PlatformKeyRow } from '../../store/platform-row.ts'
import type { Html } from '../document.ts'
import type { PlayerPageParts } from '../player-page.ts'
import type { Texts } from '../texts/en.ts'

/** What the console reads. It acts only through the control routes, as its reader could with curl. */
export interface SharedParts extends PlayerPageParts {
  readonly journal: Journal
  readonly agentNote: AgentNote
  readonly faults: Faults
  readonly platformKey: () => Promise<PlatformKeyRow>
  /** The address that the control routes and the console listen on. */
  readonly developerUrl: () => string
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
