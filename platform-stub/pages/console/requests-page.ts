import { html } from 'hono/html'
import { positiveInteger } from '../../http/positive-integer.ts'
import { platformOperationNames } from '../../marketplace/platform-operations.ts'
import type { JournalEntry } from '../../partner-api/request-journal.ts'
import { journalEntriesMax } from '../../partner-api/request-journal.ts'
import type { Html } from '../document.ts'
import { field } from './acts.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { beforeIn, choiceIn, choices, emptyState, pageOf, searchForm, searchOf } from './list.ts'
import { isRefusedSignature } from './refused-signature.ts'
import { requestDetails, requestEntry } from './request-view.ts'

/** Which requests are shown, by the word in the address. */
const kinds = {
  all: () => true,
  refused: isRefusedSignature,
  failed: ({ status }: JournalEntry) => status !== 200,
} as const

/** The journal of partner requests with their bodies, each refused signature explained. */
export function requestsPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t, journal } = parts
  const before = beforeIn(request) ?? Number.POSITIVE_INFINITY
  const fits = filterOf(request.query)
  const all = journal.newest(journalEntriesMax)
  const found = all.filter((entry) => entry.number < before && fits(entry))
  const { rows, pager } = pageOf(t, request, found, ({ number }) => number)
  return {
    title: t.menu['/console/requests'],
    content: html`
      <h1>${t.menu['/console/requests']}</h1>
      <p class="soft">${t.requests.about(journalEntriesMax.toLocaleString(t.lang))}</p>
      ${searchForm(t, request, { searchFor: t.requests.searchFor, keeps: ['show'], fields: filterFields(parts, request) })}
      ${choices(
        t,
        t.requests.show,
        request,
        Object.entries(t.requests.kinds).map(([word, name]) => ({ name, parameter: ['show', word] })),
      )}
      ${rows.length === 0 ? emptyState(t.requests.none, all.length === 0 ? t.requests.comesWith : t.requests.nothingFits) : ''}
      <ol class="list">${rows.map((entry) => requestEntry(parts, entry))}</ol>
      ${pager}`,
  }
}

/** Whether a request is one of those that the address asks for. */
function filterOf(query: URLSearchParams): (entry: JournalEntry) => boolean {
  const isOfKind = kinds[choiceIn(kinds, query.get('show')) ?? 'all']
  const operation = query.get('operation')
  const transactionId = positiveInteger(query.get('transaction') ?? undefined)
  const gameServerId = positiveInteger(query.get('server') ?? undefined)
  const search = searchOf(query)?.toLowerCase()
  return (entry) =>
    isOfKind(entry) &&
    (!operation || entry.operation === operation) &&
    (transactionId === undefined || entry.transactionId === transactionId) &&
    (gameServerId === undefined || entry.gameServerId === gameServerId) &&
    (search === undefined || searchedIn(entry).some((text) => text?.toLowerCase().includes(search)))
}

function searchedIn({ method, path, kid, code, message, requestBody, answerBody }: JournalEntry) {
  return [`${method} ${path}`, kid, code, message, requestBody, answerBody]
}

function filterFields({ t, directory }: ConsoleParts, { query }: PageRequest): Html {
  const { operation, gameServer, transaction } = t.requests
  const servers = directory.all().map(({ id, name }) => [String(id), `${name} (${t.common.number(id)})`] as const)
  const operations = platformOperationNames.map((name) => [name, name] as const)
  const asked = query.get('transaction') ?? ''
  return html`${select('operation', operation, operations, query, t.common.all)}
    ${select('server', gameServer, servers, query, t.common.all)}
    ${field(transaction, html`name="transaction" inputmode="numeric" pattern="[1-9][0-9]*" value="${asked}"`)}`
}

function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, name: string])[],
  query: URLSearchParams,
  all: string,
): Html {
  const chosen = query.get(name)
  return html`<label class="field"><span>${label}</span><select name="${name}"><option value="">${all}</option>${options.map(([value, text]) => html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${text}</option>`)}</select></label>`
}

/** One request, with everything that is kept of it. */
export function requestPage(parts: ConsoleParts, { id }: PageRequest): ConsolePage {
  const { t, journal } = parts
  const list = '/console/requests'
  const entry = journal.byNumber(positiveInteger(id) ?? 0)
  const title = t.requests.title(id)
  if (!entry) return notFoundPage(t, title, list)
  return detailPage(t, list, title, html`${title}`, html``, requestDetails(parts, entry))
}
