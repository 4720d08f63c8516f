import { html } from 'hono/html'
import { positiveInteger } from '../../developer/control/control-request.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { Html } from '../document.ts'

/** Asked of every list: one more than a page shows, which says that there is another page. */
export const rowsAsked = stubLimits.consoleRowsMax + 1

/** How the pages of a list are told apart in the address, and what leads from one to another. */
interface Paging {
  readonly parameter: string
  readonly first: string
  readonly next: string
}

/** Of a list that is newest first. */
const newestFirst: Paging = { parameter: 'before', first: 'Newest', next: 'Older' }

/** Of a list in the order of its names. */
export const byName: Paging = { parameter: 'after', first: 'First', next: 'More' }

/** The id that a page of a newest-first list begins below; null for the first page. */
export function beforeIn(query: URLSearchParams): number | null {
  return positiveInteger(query.get(newestFirst.parameter) ?? undefined) ?? null
}

/**
 * What a page shows, and the key that the next one begins after; null on the last.
 *
 * @param found `rowsAsked` rows, or as many as there are.
 */
export function pageOf<Row, Key>(
  found: readonly Row[],
  keyOf: (row: Row) => Key,
): { readonly rows: readonly Row[]; readonly next: Key | null } {
  const rows = found.slice(0, stubLimits.consoleRowsMax)
  const last = rows.at(-1)
  return { rows, next: last !== undefined && found.length > rows.length ? keyOf(last) : null }
}

/** Leads to the next page of a list and back to its first; nothing where all is on one. @param next Of `pageOf`. */
export function pager(path: string, query: URLSearchParams, next: string | number | null, paging = newestFirst): Html {
  const isLater = query.has(paging.parameter)
  if (!isLater && next === null) return html``
  const firstPage = new URLSearchParams(query)
  firstPage.delete(paging.parameter)
  const nextPage = new URLSearchParams(query)
  if (next !== null) nextPage.set(paging.parameter, String(next))
  return html`<nav class="pager" aria-label="Pages">
    ${isLater ? html`<a class="button small" href="${withQuery(path, firstPage)}">${paging.first}</a>` : ''}
    ${next !== null ? html`<a class="button small" href="${withQuery(path, nextPage)}">${paging.next}</a>` : ''}
  </nav>`
}

function withQuery(path: string, query: URLSearchParams): string {
  return query.size > 0 ? `${path}?${query}` : path
}
