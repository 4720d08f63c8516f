import { html } from 'hono/html'
import { consolePage, type MenuPath } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { emptyState } from './table.ts'

/** The page for something that does not exist. @param menuPath The list to go back to; the overview if there is none. */
export function notFoundPage(context: ConsoleContext, parts: ConsoleParts, heading: string, menuPath: MenuPath | null) {
  const back = html`<a href="${menuPath ?? '/console'}">${menuPath ? 'All that there are' : 'Overview'}</a>`
  const content = html`<h1>${heading}</h1>${emptyState('This does not exist', back)}`
  return consolePage(context, parts, { title: heading, menuPath, status: 404, content })
}
