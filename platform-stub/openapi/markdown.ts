import { html } from 'hono/html'
import type { Html } from '../pages/document.ts'

/**
 * Reads the Markdown of the document's texts: paragraphs, lists, tables and `code`, with blank lines between blocks. It
 * copies anything else unchanged.
 */
export function markdownToHtml(text: string): Html {
  return html`${text.split(/\n{2,}/).map(blockToHtml)}`
}

function blockToHtml(block: string): Html {
  const lines = block.split('\n')
  if (lines.every((line) => line.startsWith('- '))) {
    return html`<ul>${lines.map((line) => html`<li>${inlineToHtml(line.slice(2))}</li>`)}</ul>`
  }
  if (lines.every((line) => line.startsWith('| '))) return tableToHtml(lines.map(cellsOf))
  return html`<p>${inlineToHtml(block)}</p>`
}

/** The second line is only the separator. */
function tableToHtml([head = [], , ...rows]: readonly (readonly string[])[]): Html {
  return html`<div class="table" role="region" aria-label="${head.join(', ')}" tabindex="0"><table>
    <thead><tr>${head.map((cell) => html`<th scope="col">${inlineToHtml(cell)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inlineToHtml(cell)}</td>`)}</tr>`)}</tbody>
  </table></div>`
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
}

/** Every second piece between backticks is code. */
export function inlineToHtml(text: string): Html {
  return html`${text.split('`').map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
}
