import { html } from 'hono/html'
import { apiKeyHeaderName, signatureHeaderName } from '../../../contract/envelope/protected-header.ts'
import { Refusal } from '../../marketplace/refusal.ts'
import { matchRoute } from '../../partner-api/partner-routes.ts'
import type { AuthenticationFault, JournalEntry } from '../../partner-api/request-journal.ts'
import { duration } from '../browser/moments.js'
import type { Html } from '../document.ts'
import { codeBlock, copyable, icon, notice, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { authenticationSteps } from './authentication-steps.ts'

/** Whether a request came with credentials and was refused for them. Without any, an agent asks for the platform's time. */
export function isRefusedSignature(entry: JournalEntry): boolean {
  return (
    entry.authentication !== null && (linesOf(entry, signatureHeaderName) > 0 || linesOf(entry, apiKeyHeaderName) > 0)
  )
}

/** Number of header lines of a name. The headers of an older request may not be kept: then it had long ones. */
function linesOf({ headers }: JournalEntry, name: string): number {
  return headers?.filter(([sent]) => sent.toLowerCase() === name.toLowerCase()).length ?? 1
}

/** Why no caller was found: the checks in their order, what was expected and received, and what to do. */
export function explanation(t: Texts, fault: AuthenticationFault, entry: JournalEntry): Html {
  const { step, signingInput, bodyBytes, bodySha256, clockDifferenceS } = fault
  const texts = t.requests
  const steps = stepsOf(entry)
  const header = Buffer.from(signingInput?.split('.', 1)[0] ?? '', 'base64url').toString('utf8')
  return html`<div class="split checked">
      <ol class="checks">${steps.map((name, at) => checkOf(t, name, at - steps.indexOf(step)))}</ol>
      <div class="stack">
        ${notice('', 'alert', { title: texts.lookAt, text: t.stepHelp[step] })}
        ${pairs({
          [texts.expected]: expected(t, fault, entry),
          [texts.received]: received(t, fault, entry),
          [texts.yourClock]: clockInWords(t, clockDifferenceS),
          [texts.body]: html`${texts.bytes(bodyBytes.toLocaleString(t.lang))}<span class="sub">SHA-256 ${copyable(t, 'SHA-256', bodySha256)}</span>`,
        })}
        ${header && quoted(t, texts.header, header)}
        ${signingInput && quoted(t, texts.signingInput, signingInput)}
      </div>
    </div>`
}

function expected({ stepExpected }: Texts, { step }: AuthenticationFault, { method, path }: JournalEntry): Html {
  const value = step === 'method' ? method : step === 'url' ? path : null
  return html`${stepExpected[step]} ${value && html`<code class="wrap">${value}</code>`}`
}

/** A value as it was received, or in words what was in its place. */
function received({ stepReceived: words }: Texts, fault: AuthenticationFault, entry: JournalEntry): Html | string {
  const { step, cause } = fault
  if (step === 'api-key') return lineInWords(words, linesOf(entry, apiKeyHeaderName), words.unknownKey)
  if (step === 'header-line') return lineInWords(words, linesOf(entry, signatureHeaderName), words.longLine)
  if (step === 'signature') return words[cause ?? 'other-key']
  if (step === 'segments' || step === 'encoding' || step === 'api-key-owner') return words[step]
  return html`<code class="wrap">${fault.received}</code>`
}

function lineInWords({ noLine, lines }: Texts['stepReceived'], count: number, one: string): string {
  if (count === 0) return noLine
  return count === 1 ? one : lines(count)
}

function quoted(t: Texts, name: string, text: string): Html {
  return html`<div class="list"><p class="soft">${name}</p>${codeBlock(t, text)}</div>`
}

/** The steps of a route. A signature-only route checks no key. */
function stepsOf({ method, path }: JournalEntry) {
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
