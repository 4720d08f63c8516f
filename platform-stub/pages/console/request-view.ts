import { html } from 'hono/html'
import type { JournalEntry } from '../../partner-api/request-journal.ts'
import type { Html } from '../document.ts'
import { prettyJson, stampOf } from '../formats.ts'
import { badge, codeBlock, copyable, headerList, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import type { ConsoleParts } from './console-parts.ts'
import { explanation, isRefusedSignature } from './refused-signature.ts'

/** A request as an entry of the list. */
export function requestEntry(parts: ConsoleParts, entry: JournalEntry): Html {
  const { t } = parts
  const { number, message, code, requestBody, answerBody } = entry
  const hasBody = requestBody !== '' || answerBody !== ''
  return html`<li class="card entry" id="request-${number}">
    <div class="row"><a href="/console/requests/${number}">${t.common.number(number)}</a>${summaryOf(parts, entry)}</div>
    ${message && html`<p class="soft"><code>${code}</code> <span lang="pt-BR">${message}</span></p>`}
    ${hasBody ? html`<details><summary>${t.requests.bodies}</summary>${bodiesOf(t, entry)}</details>` : ''}
    ${entry.authentication && html`<details class="wait"><summary>${t.requests.whyStep(html`<code>${entry.authentication.step}</code>`)}</summary>${explanation(t, entry.authentication, entry)}</details>`}
  </li>`
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

function bodiesOf(t: Texts, { requestBody, answerBody }: JournalEntry): Html {
  const { sent, answered } = t.requests
  return html`<div class="split">
    <div class="list"><p class="soft">${sent}</p>${bodyOf(t, requestBody)}</div>
    <div class="list"><p class="soft">${answered}</p>${bodyOf(t, answerBody)}</div>
  </div>`
}

function bodyOf(t: Texts, body: string | null): Html {
  if (body) return codeBlock(t, prettyJson(body))
  return html`<p class="soft">${body === null ? t.requests.bodyNotKept : t.requests.noBody}</p>`
}

function toneOf(status: number | null): string {
  if (status === null || status >= 500) return 'bad'
  if (status === 401 || status === 403) return 'wait'
  return status < 300 ? 'good' : 'calm'
}
