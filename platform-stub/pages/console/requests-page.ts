import { html } from 'hono/html'
import type { AuthenticationFault, JournalEntry } from '../../developer/request-journal.ts'
import { Refusal } from '../../marketplace/refusal.ts'
import { matchRoute } from '../../partner-api/partner-routes.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import { duration } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { stampOf } from '../formats.ts'
import { badge, icon, notice, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { authenticationSteps } from './authentication-steps.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { beforeIn, choiceIn, choices, emptyState, pageOf } from './list.ts'

/** Which requests are shown, by the word in the address. */
const kinds = {
  all: () => true,
  refused: ({ authentication }: JournalEntry) => authentication !== null,
  failed: ({ status }: JournalEntry) => status !== 200,
} as const

/** The journal of partner requests, each refused signature explained. */
export function requestsPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const fits = kinds[choiceIn(kinds, request.query.get('show')) ?? 'all']
  const before = beforeIn(request) ?? Number.POSITIVE_INFINITY
  const all = parts.journal.newest(stubLimits.journalEntriesMax)
  const found = all.filter((entry) => entry.number < before && fits(entry))
  const { rows, pager } = pageOf(t, request, found, ({ number }) => number)
  return {
    title: t.menu['/console/requests'],
    content: html`
      <h1>${t.menu['/console/requests']}</h1>
      <p class="soft">${t.requests.about(stubLimits.journalEntriesMax.toLocaleString(t.lang))}</p>
      ${choices(
        t,
        t.requests.show,
        request,
        Object.entries(t.requests.kinds).map(([word, name]) => ({ name, parameter: ['show', word] })),
      )}
      ${rows.length === 0 ? emptyState(t.requests.none, t.requests.comesWith) : ''}
      <ol class="list">${rows.map((entry) => entryOf(parts, entry))}</ol>
      ${pager}`,
  }
}

function entryOf({ t, directory }: ConsoleParts, entry: JournalEntry): Html {
  const { number, atMs, method, path, operation, gameServerId, status, code, message, durationMs, fault } = entry
  const server = gameServerId === null ? undefined : directory.byId(gameServerId)?.name
  const facts = [`${durationMs} ms`, server, operation].filter(Boolean).join(' · ')
  return html`<li class="card entry" id="request-${number}">
    <div class="row">
      ${badge(toneOf(status), status ?? t.requests.dropped)}
      <code class="strong">${method} ${path}</code>
      <span class="soft">${stampOf(atMs, t.lang)} · ${facts}</span>
      ${fault && badge('argued', t.attempt.fault(fault))}
    </div>
    ${message && html`<p class="soft"><code>${code}</code> <span lang="pt-BR">${message}</span></p>`}
    ${entry.authentication && explanation(t, entry.authentication, entry)}
  </li>`
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
  return html`<details class="wait">
    <summary>${texts.whyStep(html`<code>${step}</code>`)}</summary>
    <div class="split checked">
      <ol class="checks">${steps.map((name, at) => checkOf(t, name, at - steps.indexOf(step)))}</ol>
      <div class="stack">
        ${notice('', 'alert', { title: texts.lookAt, text: t.stepHelp[step] })}
        ${pairs({
          [texts.expected]: html`<span lang="en">${expected}</span>`,
          [texts.received]: html`<span class="wrap" lang="en">${received}</span>`,
          [texts.yourClock]: clockInWords(t, clockDifferenceS),
          [texts.body]: html`${texts.bytes(bodyBytes.toLocaleString(t.lang))}<span class="sub">SHA-256 <code class="wrap">${bodySha256}</code></span>`,
        })}
        ${header && quoted(texts.header, header)}
        ${signingInput && quoted(texts.signingInput, signingInput)}
      </div>
    </div>
  </details>`
}

function quoted(name: string, text: string): Html {
  return html`<div class="list"><p class="soft">${name}</p><pre class="wrap" tabindex="0">${text}</pre></div>`
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

function clockInWords({ requests: texts }: Texts, differenceS: number | null): Html | string {
  if (differenceS === null) return texts.clockUnknown
  if (Math.abs(differenceS) < 2) return texts.clockAgrees
  const distance = duration(Math.abs(differenceS) * 1_000)
  return differenceS > 0 ? texts.clockAhead(distance) : texts.clockBehind(distance)
}
