import { html } from 'hono/html'
import type { Html } from '../document.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => Html | string | number
  /** Numbers are aligned to the right. */
  readonly isFigure?: boolean
  /** It gets more room than other columns. */
  readonly isWide?: boolean
}

/**
 * A table that becomes a list of cards on a phone. It names its roles, because a browser drops them when the rows have
 * another layout.
 *
 * @param keyOf The id of a row, so that an update finds it again.
 */
export function table<Row>(
  label: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string | number,
  columns: readonly Column<Row>[],
): Html {
  const classOf = ({ isFigure, isWide }: Column<Row>) => (isFigure ? 'figure' : isWide ? 'wide' : '')
  return html`<div class="card table-card"><table role="table" aria-label="${label}">
    <thead role="rowgroup"><tr role="row">${columns.map((column) => html`<th role="columnheader" scope="col" class="${classOf(column)}">${column.name}</th>`)}</tr></thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row" id="row-${keyOf(row)}">${columns.map(
            (column) =>
              html`<td role="cell" class="${classOf(column)}" data-name="${column.name}">${column.cell(row)}</td>`,
          )}</tr>`,
      )}
    </tbody>
  </table></div>`
}

/** Shown in place of an empty list. */
export function emptyState(title: string, hint: Html | string): Html {
  return html`<div class="card empty"><strong>${title}</strong><p>${hint}</p></div>`
}

/** One choice of what a list shows. */
export interface Chip {
  readonly name: string
  readonly href: string
  readonly isChosen: boolean
  readonly tone?: string | undefined
  readonly count?: number
}

/** Choices above a list, as links. */
export function chips(label: string, all: readonly Chip[]): Html {
  return html`<ul class="chips" aria-label="${label}">
    ${all.map(
      ({ name, href, isChosen, tone = 'calm', count }) =>
        html`<li><a class="chip ${tone}" href="${href}" ${isChosen ? html`aria-current="true"` : ''}>${name} ${count === undefined ? '' : html`<span>${count.toLocaleString('en')}</span>`}</a></li>`,
    )}
  </ul>`
}
