import { html } from 'hono/html'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { emptyState } from './table.ts'

/** What somebody sees who followed an address that leads nowhere on the console. */
export function noSuchPage(context: ConsoleContext, parts: ConsoleParts) {
  const title = 'No such page'
  const content = html`<h1>${title}</h1>${emptyState('Nothing is kept at this address', html`<a href="/console">Overview</a>`)}`
  return consolePage(context, parts, { title, place: null, status: 404, content })
}
