import { html } from 'hono/html'
import type { WebhookEvent } from '../../../contract/events.ts'
import type { OneOffRow } from '../../store/one-off-rows.ts'
import type { WebhookAttemptRow } from '../../store/webhook-rows.ts'
import type { Header } from '../../webhooks/webhook-post.ts'
import { duration } from '../browser/moments.js'
import type { Html } from '../document.ts'
import { prettyJson, stampOf } from '../formats.ts'
import { codeBlock, copyable, headerList, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { attemptBadge } from './exchange-view.ts'

/** What an attempt of a delivery and a webhook that was sent once have in common. */
type Sent = Omit<WebhookAttemptRow, 'deliveryId' | 'number' | 'nextAttemptAt' | 'fault'> &
  Partial<Pick<WebhookAttemptRow, 'number' | 'nextAttemptAt' | 'fault'>>

/** A payload to read, and byte for byte. */
export function payloadView(t: Texts, payload: string): Html {
  return html`${codeBlock(t, prettyJson(payload))}
    <details><summary>${t.webhook.byteForByte}</summary>${codeBlock(t, payload)}</details>`
}

/** An attempt of a delivery: what was signed and sent, and the answer. */
export function attemptCard(t: Texts, event: WebhookEvent, attempt: WebhookAttemptRow): Html {
  return sentCard(t, event, attempt, `attempt-${attempt.id}`, t.webhook.attempt(attempt.number))
}

/** The same of a webhook that was sent once. */
export function oneOffCard(t: Texts, sent: OneOffRow): Html {
  return sentCard(t, sent.event, sent, `one-off-${sent.id}`, t.webhook.once)
}

function sentCard(t: Texts, event: WebhookEvent, sent: Sent, id: string, heading: string): Html {
  const { at, durationMs, url, responseBody, responseStatus, nextAttemptAt = null, fault = null } = sent
  const texts = t.webhook
  const again = nextAttemptAt === null ? '' : `, ${texts.again(duration(nextAttemptAt - at, t.lang))}`
  const answer = responseBody
    ? codeBlock(t, responseBody)
    : html`<p class="soft">${responseStatus === null ? texts.noAnswer : texts.noBody}</p>`
  return html`<li class="card pad stack" id="${id}">
    <div class="row"><h3 id="${id}-name">${heading}</h3>${attemptBadge(t, event, { ...sent, fault })}<p class="soft">${stampOf(at, t.lang)}, ${durationMs} ms${again}</p></div>
    <div class="split">
      <div class="list"><h4>${texts.signature}</h4>${claims(t, sent)}</div>
      <div class="list"><h4>${texts.answer}</h4>${answer}<p class="soft">${texts.from(copyable(t, texts.address, url))}</p></div>
    </div>
    <details><summary>${texts.headers}</summary><div class="split">${headers(texts.sent, sent.requestHeaders)}${headers(texts.answer, sent.responseHeaders)}</div></details>
  </li>`
}

function headers(name: string, stored: string | null): Html | '' {
  return stored === null
    ? ''
    : html`<div class="list"><h4>${name}</h4>${headerList(JSON.parse(stored) as Header[])}</div>`
}

/** The claims of the protected header, with the times explained. */
function claims(t: Texts, { protectedHeader, at }: Sent): Html {
  const all = Object.entries(JSON.parse(protectedHeader) as Record<string, unknown>)
  const explained = all.map(([name, value]) => {
    const isId = name === 'jti' || name === 'kid'
    const shown = isId ? copyable(t, name, String(value)) : html`<code class="wrap">${String(value)}</code>`
    return [name, html`${shown}${timeNote(t, name, value, at)}`]
  })
  return pairs(Object.fromEntries(explained))
}

function timeNote(t: Texts, name: string, value: unknown, atMs: number): Html | string {
  if ((name !== 'iat' && name !== 'exp') || typeof value !== 'number') return ''
  const afterMs = value * 1_000 - Math.floor(atMs / 1_000) * 1_000
  const [moment, length] = [stampOf(value * 1_000, t.lang), duration(Math.abs(afterMs), t.lang)]
  const { whenSent, afterSent, beforeSent } = t.webhook
  const note = afterMs === 0 ? whenSent(moment) : afterMs > 0 ? afterSent(moment, length) : beforeSent(moment, length)
  return html`<span class="sub">${note}</span>`
}
