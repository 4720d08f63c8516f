import { html } from 'hono/html'
import type { AuthenticationFault, JournalEntry } from '../../partner-api/request-journal.ts'
import type { Html } from '../document.ts'
import { prettyJson, stampOf } from '../formats.ts'
import { badge, codeBlock, copyable, headerList, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import type { ConsoleParts } from './console-parts.ts'
import { explanation, isRefusedSignature } from './refused-signature.ts'

/** A stranger chooses how long a text is, and every open list is drawn again with each request. */
const listedLengthMax = 4_096

/** A request as an entry of the list. Its long texts are only on its own page. */
export function requestEntry(parts: ConsoleParts, entry: JournalEntry): Html {
  const { t } = parts
  const { number, message, code, requestBody, answerBody, authentication } = entry
  const hasBody = requestBody !== '' || answerBody !== ''
  return html`<li class="card entry" id="request-${number}">
    <div class="row"><a href="/console/requests/${number}">${t.common.number(number)}</a>${summaryOf(parts, entry)}</div>
    ${message && html`<p class="soft"><code>${code}</code> <span lang="pt-BR">${message}</span></p>`}
    ${hasBody ? html`<details><summary>${t.requests.bodies}</summary>${bodiesOf(t, entry, listedLengthMax)}</details>` : ''}
    ${authentication && html`<details class="wait"><summary>${t.requests.whyStep(html`<code>${authentication.step}</code>`)}</summary>${listedExplanation(t, authentication, entry)}</details>`}
  </li>`
}

function listedExplanation(t: Texts, fault: AuthenticationFault, entry: JournalEntry): Html {
  if ((fault.signingInput?.length ?? 0) <= listedLengthMax) return explanation(t, fault, entry)
  return html`${explanation(t, { ...fault, signingInput: null }, entry)}${onItsPage(t, entry)}`
}

/** Everything about one request, opened. */
export function requestDetails(parts: ConsoleParts, entry: JournalEntry): Html {
  const { t, directory } = parts
  const { path, kid, transactionId, gameServerId, message, code, authentication } = entry
  const server = gameServerId === null ? undefined : directory.byId(gameServerId)
  const transaction =
    transactionId === null
      ? undefined
      : html`<a href="/console/transactions/${transactionId}">${t.common.number(transactionId)}</a>`
  return html`<div class="card pad stack">
      <div class="row">${summaryOf(parts, entry)}</div>
      ${message && html`<p class="soft"><code>${code}</code> <span lang="pt-BR">${message}</span></p>`}
      ${pairs({
        [t.requests.path]: copyable(t, t.requests.path, path),
        kid: kid && copyable(t, 'kid', kid),
        [t.requests.gameServer]: server && html`<a href="/console/game-servers/${server.id}">${server.name}</a>`,
        [t.requests.transaction]: transaction,
      })}
      ${bodiesOf(t, entry)}
      <details open><summary>${t.requests.headers}</summary>${entry.headers ? headerList(entry.headers) : html`<p class="soft">${t.requests.headersNotKept}</p>`}</details>
    </div>
    ${authentication && html`<section class="card pad wait" aria-labelledby="why"><h2 id="why">${t.requests.whyStep(html`<code>${authentication.step}</code>`)}</h2>${explanation(t, authentication, entry)}</section>`}`
}

function summaryOf({ t, directory }: ConsoleParts, entry: JournalEntry): Html {
  const { atMs, method, path, operation, gameServerId, status, durationMs, fault } = entry
  const server = gameServerId === null ? undefined : directory.byId(gameServerId)?.name
  const facts = [`${durationMs} ms`, server, operation].filter(Boolean).join(' · ')
  return html`${badge(toneOf(status), status ?? t.requests.dropped)}
    <code class="strong">${method} ${path}</code>
    <span class="soft">${stampOf(atMs, t.lang)} · ${facts}</span>
    ${entry.authentication && !isRefusedSignature(entry) ? html`<span class="soft">${t.requests.noCredentials}</span>` : ''}
    ${fault && badge('argued', t.attempt.fault(fault))}`
}

function bodiesOf(t: Texts, entry: JournalEntry, lengthMax = Number.POSITIVE_INFINITY): Html {
  const { sent, answered } = t.requests
  const { requestBody, answerBody } = entry
  const bodyOf = (body: string | null) =>
    body !== null && body.length > lengthMax ? onItsPage(t, entry) : wholeBody(t, body)
  return html`<div class="split">
    <div class="list"><p class="soft">${sent}</p>${bodyOf(requestBody)}</div>
    <div class="list"><p class="soft">${answered}</p>${bodyOf(answerBody)}</div>
  </div>`
}

function wholeBody(t: Texts, body: string | null): Html {
  if (body) return codeBlock(t, prettyJson(body))
  return html`<p class="soft">${body === null ? t.requests.bodyNotKept : t.requests.noBody}</p>`
}

function onItsPage(t: Texts, { number }: JournalEntry): Html {
  return html`<p class="soft"><a href="/console/requests/${number}">${t.requests.onItsPage}</a></p>`
}

function toneOf(status: number | null): string {
  if (status === null || status >= 500) return 'bad'
  if (status === 401 || status === 403) return 'wait'
  return status < 300 ? 'good' : 'calm'
}
