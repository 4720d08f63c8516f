import { html } from 'hono/html'
import { positiveInteger } from '../../http/positive-integer.ts'
import type { Html } from '../document.ts'
import type { Texts } from '../texts/en.ts'
import type { PageRequest } from './console-parts.ts'

/** Rows of a console page; older ones are on the next. */
export const consoleRowsMax = 50

/** One column of a table. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => Html | string | number
  /** Numbers are aligned to the right; a wide column gets more room than others. */
  readonly look?: 'figure' | 'wide'
}

/**
 * A table that becomes a list of cards where it has not enough room. It names its roles, because a browser drops them when
 * the rows have another layout.
 *
 * @param keyOf The id of a row, so that an update finds it again.
 * @param empty Shown in place of a table without rows.
 */
export function table<Row>(
  label: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string | number,
  empty: Html,
  columns: readonly Column<Row>[],
): Html {
  if (rows.length === 0) return empty
  const headings = columns.map(
    ({ name, look = '' }) => html`<th role="columnheader" scope="col" class="${look}">${name}</th>`,
  )
  const cellsOf = (row: Row) =>
    columns.map(
      ({ name, look = '', cell }) => html`<td role="cell" class="${look}" data-name="${name}">${cell(row)}</td>`,
    )
  return html`<div class="card table-card"><table role="table" aria-label="${label}">
    <thead role="rowgroup"><tr role="row">${headings}</tr></thead>
    <tbody role="rowgroup">${rows.map((row) => html`<tr role="row" id="row-${keyOf(row)}">${cellsOf(row)}</tr>`)}</tbody>
  </table></div>`
}

/** Shown in place of an empty list. */
export function emptyState(title: string, hint: Html | string): Html {
  return html`<div class="card empty"><strong>${title}</strong><p>${hint}</p></div>`
}

/** One choice of what a list shows. */
interface Choice {
  readonly name: string
  /** Its name and value in the address; none for the choice that shows everything. */
  readonly parameter?: readonly [name: string, value: string]
  readonly tone?: string
  readonly count?: number
}

/** Choices above a list, as links that keep its search. The first one is chosen unless the address names another. */
export function choices(t: Texts, label: string, { path, query }: PageRequest, all: readonly Choice[]): Html {
  const names = new Set(['before', ...all.flatMap(({ parameter }) => parameter?.[0] ?? [])])
  const kept = [...query].filter(([name]) => !names.has(name))
  const chosen = all.find(({ parameter }) => parameter && query.get(parameter[0]) === parameter[1]) ?? all[0]
  return html`<ul class="row choices" aria-label="${label}">
    ${all.map((choice) => {
      const { name, parameter, tone = 'calm', count } = choice
      const href = withQuery(path, new URLSearchParams([...kept, ...(parameter ? [[...parameter]] : [])]))
      return html`<li><a class="button small ${tone}" href="${href}" ${choice === chosen ? html`aria-current="true"` : ''}>${name} ${count === undefined ? '' : html`<span>${count.toLocaleString(t.lang)}</span>`}</a></li>`
    })}
  </ul>`
}

/**
 * A form that narrows a list. Its choices are in the address, so a colleague can open the same narrowed list. Its id lets an update
 * find it when something appears above it.
 *
 * @param keeps The parameters of the choices above the list, which the form keeps.
 * @param fields In addition to the text that is searched for.
 */
export function searchForm(
  { common }: Texts,
  { path, query }: PageRequest,
  { searchFor, keeps, fields = '' }: { searchFor: string; keeps: readonly string[]; fields?: Html | '' },
): Html {
  const kept = keeps.map((name) => [name, query.get(name)] as const).filter(([, value]) => value !== null)
  return html`<form class="${fields ? 'filters' : 'joined'}" method="get" action="${path}" role="search" id="search" data-kept>
    ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    ${fields}
    <label class="${fields ? 'field' : 'search'}"><span class="${fields ? '' : 'hidden-text'}">${common.search}</span><input type="search" name="search" value="${searchOf(query) ?? ''}" placeholder="${searchFor}"></label>
    <button class="button">${common.search}</button>
  </form>`
}

/** The text that a list is searched for; null for none. */
export function searchOf(query: URLSearchParams): string | null {
  return query.get('search')?.trim() || null
}

/** A value of the address that has to be one of some names; null for any other. */
export function choiceIn<Name extends string>(
  names: Readonly<Record<Name, unknown>>,
  asked: string | null,
): Name | null {
  return asked !== null && Object.hasOwn(names, asked) ? (asked as Name) : null
}

/** Number of rows to query: one more than a page shows, to know whether there is another page. */
export const rowsAsked = consoleRowsMax + 1

/** The parameter of a list that is newest first. */
const newestFirst = 'before'

/** The parameter of a list in the order of its names. */
export const byName = 'after'

/** A page of a newest-first list has only ids below this one; null for the first page. */
export function beforeIn({ query }: PageRequest): number | null {
  return positiveInteger(query.get(newestFirst) ?? undefined) ?? null
}

/**
 * The rows of a page, and links to the next page of the list and to its first.
 *
 * @param found `rowsAsked` rows, or fewer if there are no more.
 * @param keyOf The next page begins after the key of this page's last row.
 */
export function pageOf<Row>(
  { list: texts }: Texts,
  { path, query }: PageRequest,
  found: readonly Row[],
  keyOf: (row: Row) => string | number,
  parameter: typeof newestFirst | typeof byName = newestFirst,
): { readonly rows: readonly Row[]; readonly pager: Html | string } {
  const { first, next } = texts[parameter]
  const rows = found.slice(0, consoleRowsMax)
  const last = found.length > rows.length ? rows.at(-1) : undefined
  const link = (name: string, key: string) => {
    const changed = new URLSearchParams(query)
    if (key) changed.set(parameter, key)
    else changed.delete(parameter)
    return html`<a class="button small" href="${withQuery(path, changed)}">${name}</a>`
  }
  const links = [...(query.has(parameter) ? [link(first, '')] : []), ...(last ? [link(next, String(keyOf(last)))] : [])]
  return { rows, pager: links.length > 0 ? html`<nav class="row" aria-label="${texts.pages}">${links}</nav>` : '' }
}

/** An address of this stub with its query. */
export function withQuery(path: string, query: URLSearchParams): string {
  return query.size > 0 ? `${path}?${query}` : path
}
