import { html } from 'hono/html'
import { Refusal } from '../../marketplace/refusal.ts'
import { matchRoute } from '../../partner-api/partner-routes.ts'
import type { AuthenticationFault, JournalEntry } from '../../partner-api/request-journal.ts'
import { duration } from '../browser/moments.js'
import type { Html } from '../document.ts'
import { prettyJson, stampOf } from '../formats.ts'
import { badge, codeBlock, copyable, icon, notice, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { authenticationSteps } from './authentication-steps.ts'
import type { ConsoleParts } from './console-parts.ts'

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

function explanation(t: Texts, fault: AuthenticationFault, { path, method }: JournalEntry): Html {
  const { step, expected, received, signingInput, bodyBytes, bodySha256, clockDifferenceS } = fault
  const texts = t.requests
  const steps = stepsOf(method, path)
  const header = Buffer.from(signingInput?.split('.')[0] ?? '', 'base64url').toString('utf8')
  return html`<div class="split checked">
      <ol class="checks">${steps.map((name, at) => checkOf(t, name, at - steps.indexOf(step)))}</ol>
      <div class="stack">
        ${notice('', 'alert', { title: texts.lookAt, text: t.stepHelp[step] })}
        ${pairs({
          [texts.expected]: html`<span lang="en">${expected}</span>`,
          [texts.received]: html`<span class="wrap" lang="en">${received}</span>`,
          [texts.yourClock]: clockInWords(t, clockDifferenceS),
          [texts.body]: html`${texts.bytes(bodyBytes.toLocaleString(t.lang))}<span class="sub">SHA-256 ${copyable(t, 'SHA-256', bodySha256)}</span>`,
        })}
        ${header && quoted(t, texts.header, header)}
        ${signingInput && quoted(t, texts.signingInput, signingInput)}
      </div>
    </div>`
}

function quoted(t: Texts, name: string, text: string): Html {
  return html`<div class="list"><p class="soft">${name}</p>${codeBlock(t, text)}</div>`
}

/** The steps of a route. A signature-only route checks no key. */
function stepsOf(method: string, path: string) {
  const match = matchRoute(method, path)
  const isSignatureOnly = !(match instanceof Refusal) && match.route.auth === 'signature-only'
  return isSignatureOnly ? authenticationSteps.filter((step) => !step.startsWith('api-key')) : authenticationSteps
}

/** @param distance Number of steps after the one that failed; negative before it. */
function checkOf({ requests: { checks } }: Texts, name: string, distance: number): Html {
  const [tone, picture, word] =
    distance === 0
      ? (['bad', icon('cross'), checks.failed] as const)
      : distance < 0
        ? (['good', icon('check'), checks.passed] as const)
        : (['calm', html`<span aria-hidden="true">·</span>`, checks['not-reached']] as const)
  return html`<li class="row ${tone}">${picture}${name}<span class="hidden-text">: ${word}</span></li>`
}

function clockInWords({ requests: texts, lang }: Texts, differenceS: number | null): Html | string {
  if (differenceS === null) return texts.clockUnknown
  if (Math.abs(differenceS) < 2) return texts.clockAgrees
  const distance = duration(Math.abs(differenceS) * 1_000, lang)
  return differenceS > 0 ? texts.clockAhead(distance) : texts.clockBehind(distance)
}
