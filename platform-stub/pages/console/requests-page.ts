import { html } from 'hono/html'
import type { AuthenticationFault, JournalEntry } from '../../developer/request-journal.ts'
import { Refusal } from '../../marketplace/refusal.ts'
import { matchRoute } from '../../partner-api/partner-routes.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import { duration } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { icon } from '../icons.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { stampOf } from './moments.ts'
import { beforeIn, pageOf, pager } from './paging.ts'
import { authenticationSteps, stepHelp } from './refusal-help.ts'
import { chips, emptyState } from './table.ts'

/** Which requests are shown, by the word in the address. */
const choices = {
  all: { name: 'all', fits: () => true },
  refused: { name: 'refused signatures', fits: ({ authentication }: JournalEntry) => authentication !== null },
  failed: { name: 'not 200', fits: ({ status }: JournalEntry) => status !== 200 },
} as const

/** The journal of partner requests, each refused signature explained. */
export function requestsPage(context: ConsoleContext, parts: ConsoleParts) {
  const query = new URL(context.req.url).searchParams
  const asked = query.get('show') ?? 'all'
  const show = Object.hasOwn(choices, asked) ? (asked as keyof typeof choices) : 'all'
  const before = beforeIn(query) ?? Number.POSITIVE_INFINITY
  const found = parts.journal
    .newest(stubLimits.journalEntriesMax)
    .filter((entry) => entry.number < before && choices[show].fits(entry))
  const { rows: entries, next } = pageOf(found, ({ number }) => number)
  return consolePage(context, parts, {
    title: 'Requests',
    menuPath: '/console/requests',
    content: html`
      <h1>Requests</h1>
      <p class="soft">The last ${stubLimits.journalEntriesMax} partner requests. They are lost when the stub ends.</p>
      ${chips(
        'Show',
        Object.entries(choices).map(([word, { name }]) => ({
          name,
          href: `/console/requests?show=${word}`,
          isChosen: word === show,
        })),
      )}
      ${entries.length === 0 ? emptyState('No request here', 'Every call of a game server or game client appears here.') : ''}
      <ol class="list">${entries.map((entry) => entryOf(parts, entry))}</ol>
      ${pager('/console/requests', query, next)}`,
  })
}

function entryOf({ directory }: ConsoleParts, entry: JournalEntry): Html {
  const { number, atMs, method, path, operation, gameServerId, status, code, message, durationMs } = entry
  const { authentication, fault } = entry
  const server = gameServerId === null ? undefined : directory.byId(gameServerId)?.name
  const facts = html`<span class="badge ${toneOf(status)}">${status ?? 'dropped'}</span>
    <code class="strong">${method} ${path}</code>
    <span class="soft">${stampOf(atMs)} · ${durationMs} ms${server ? html` · ${server}` : ''}${operation ? html` · ${operation}` : ''}</span>
    ${fault ? html`<span class="badge argued">fault: ${fault}</span>` : ''}
    ${message === null ? '' : html`<span class="said"><code>${code}</code> <span lang="pt-BR">${message}</span></span>`}`
  return html`<li class="card entry" id="request-${number}">
    <div class="row">${facts}</div>
    ${authentication ? explanation(authentication, entry) : ''}
  </li>`
}

function toneOf(status: number | null): string {
  if (status === null || status >= 500) return 'bad'
  if (status === 401 || status === 403) return 'wait'
  return status < 300 ? 'good' : 'calm'
}

function explanation(fault: AuthenticationFault, { path, method }: JournalEntry): Html {
  const { step, expected, received, signingInput, bodyBytes, bodySha256, clockDifferenceS } = fault
  const steps = stepsOf(method, path)
  return html`<details class="wait">
    <summary>Why: step <code>${step}</code></summary>
    <div class="split">
      <ol class="checks">${steps.map((name) => checkOf(name, step, steps))}</ol>
      <div class="stack">
        <div class="notice">${icon('alert')}<strong>What to look at</strong><p>${stepHelp[step]}</p></div>
        <dl class="pairs">
          <div><dt>Expected</dt><dd>${expected}</dd></div>
          <div><dt>Received</dt><dd class="wrap">${received}</dd></div>
          <div><dt>Your clock</dt><dd>${clockInWords(clockDifferenceS)}</dd></div>
          <div><dt>Body</dt><dd>${bodyBytes} bytes<span class="sub">SHA-256 <code class="wrap">${bodySha256}</code></span></dd></div>
        </dl>
        ${headerOf(signingInput)}
        ${signingInput === null ? '' : html`<div><p class="caption">The signing input that your signature has to be over</p><pre class="wrap" tabindex="0">${signingInput}</pre></div>`}
      </div>
    </div>
  </details>`
}

/** The protected header at the start of a signing input, decoded. */
function headerOf(signingInput: string | null): Html | string {
  const text = Buffer.from(signingInput?.split('.')[0] ?? '', 'base64url').toString('utf8')
  return text
    ? html`<div><p class="caption">Your protected header, decoded</p><pre class="wrap" tabindex="0">${text}</pre></div>`
    : ''
}

/** The steps of a route. A signature-only route checks no key. */
function stepsOf(method: string, path: string) {
  const match = matchRoute(method, path)
  const isSignatureOnly = !(match instanceof Refusal) && match.route.auth === 'signature-only'
  return isSignatureOnly ? authenticationSteps.filter((step) => !step.startsWith('api-key')) : authenticationSteps
}

function checkOf(name: string, failed: string, steps: readonly string[]): Html {
  const at = steps.indexOf(name)
  const failedAt = steps.indexOf(failed)
  if (at > failedAt)
    return html`<li class="later"><span aria-hidden="true">·</span>${name}<span class="hidden-text">: not reached</span></li>`
  const [tone, picture, word] =
    at === failedAt ? (['bad', 'cross', 'failed'] as const) : (['good', 'check', 'passed'] as const)
  return html`<li class="${tone}">${icon(picture)}${name}<span class="hidden-text">: ${word}</span></li>`
}

function clockInWords(differenceS: number | null): Html | string {
  if (differenceS === null) return 'unknown: the envelope has no iat that could be read'
  if (Math.abs(differenceS) < 2) return 'agrees with the platform’s'
  return html`<strong>${duration(Math.abs(differenceS) * 1_000)} ${differenceS > 0 ? 'ahead of' : 'behind'}</strong> the platform’s`
}
