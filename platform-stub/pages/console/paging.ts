import { html } from 'hono/html'
import { positiveInteger } from '../../developer/control/control-request.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { Html } from '../document.ts'

/** Number of rows to query: one more than a page shows, to know whether there is another page. */
export const rowsAsked = stubLimits.consoleRowsMax + 1

/** The parameter that names a page of a list, and the labels of the links between pages. */
interface Paging {
  readonly parameter: string
  readonly first: string
  readonly next: string
}

/** For a list that is newest first. */
const newestFirst: Paging = { parameter: 'before', first: 'Newest', next: 'Older' }

/** For a list in the order of its names. */
export const byName: Paging = { parameter: 'after', first: 'First', next: 'More' }

/** A page of a newest-first list has only ids below this one; null for the first page. */
export function beforeIn(query: URLSearchParams): number | null {
  return positiveInteger(query.get(newestFirst.parameter) ?? undefined) ?? null
}

/**
 * The rows of a page, and the key after which the next page begins; null on the last page.
 *
 * @param found `rowsAsked` rows, or fewer if there are not so many.
 */
export function pageOf<Row, Key>(
  found: readonly Row[],
  keyOf: (row: Row) => Key,
): { readonly rows: readonly Row[]; readonly next: Key | null } {
  const rows = found.slice(0, stubLimits.consoleRowsMax)
  const last = rows.at(-1)
  return { rows, next: last !== undefined && found.length > rows.length ? keyOf(last) : null }
}

/** Links to the next page of a list and to its first; empty if there is only one page. @param next From `pageOf`. */
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
