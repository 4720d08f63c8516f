import { html } from 'hono/html'
import { positiveInteger } from '../../developer/control/control-request.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import { duration } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { attemptBadge } from './attempt-view.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { stampOf } from './moments.ts'
import { notFoundPage } from './not-found-page.ts'
import { beforeIn, pageOf, pager, rowsAsked } from './paging.ts'
import { emptyState } from './table.ts'
import { nextTry, resendForm, stateBadge } from './webhooks-page.ts'

/** A delivery with its attempts, newest first: payload, signature and answer. */
export function webhookPage(context: ConsoleContext, parts: ConsoleParts) {
  const menuPath = '/console/webhooks'
  const asked = context.req.param('id') ?? ''
  const { webhooks } = parts.platform.tables
  const delivery = webhooks.byId(positiveInteger(asked) ?? 0)
  if (!delivery) return notFoundPage(context, parts, `Webhook ${asked}`, menuPath)
  const nowMs = parts.clock.nowMs()
  const query = new URL(context.req.url).searchParams
  const found = webhooks.newestAttempts(delivery.id, beforeIn(query), rowsAsked)
  const { rows: attempts, next } = pageOf(found, ({ id }) => id)
  const count = webhooks.attemptCount(delivery.id)
  return consolePage(context, parts, {
    title: `Webhook ${delivery.id}`,
    menuPath,
    content: html`
      <p class="crumb"><a href="${menuPath}">Webhooks</a></p>
      <div class="headline">
        <h1><code>${delivery.event}</code> <span class="soft">no. ${delivery.id}</span></h1>
        <p class="badges">${stateBadge(delivery)}</p>
      </div>
      <div class="row">
        ${resendForm(delivery.id)}
        <p>Transaction <a href="/console/transactions/${delivery.transactionId}">no. ${delivery.transactionId}</a></p>
        ${delivery.state === 'pending' ? html`<p>Next try ${receiverOf(parts, delivery) === null ? 'when there is a webhook URL' : nextTry(delivery, nowMs)}</p>` : ''}
      </div>
      <section class="card pad" aria-labelledby="payload">
        <h2 id="payload">Payload</h2>
        <pre tabindex="0">${JSON.stringify(JSON.parse(delivery.payload), null, 2)}</pre>
        <details>
          <summary>Byte for byte, as it is signed and sent</summary>
          <pre class="wrap" id="body" tabindex="0">${delivery.payload}</pre>
          <button type="button" class="button small" data-copies="body" data-done="Copied">Copy</button>
        </details>
      </section>
      <h2>${count === 1 ? '1 attempt' : `${count.toLocaleString('en')} attempts`}</h2>
      ${count === 0 ? emptyState('Not tried yet', receiverOf(parts, delivery) === null ? html`The game server has no webhook URL: <a href="/console/game-servers/${delivery.gameServerId}">set one</a>.` : 'It goes out when it is due.') : ''}
      <ol class="stack">${attempts.map((attempt) => html`<li id="attempt-${attempt.id}">${attemptCard(delivery, attempt)}</li>`)}</ol>
      ${pager(`${menuPath}/${delivery.id}`, query, next)}`,
  })
}

function receiverOf({ directory }: ConsoleParts, { gameServerId }: WebhookDeliveryRow): string | null {
  return directory.byId(gameServerId)?.webhookUrl ?? null
}

function attemptCard({ event }: WebhookDeliveryRow, attempt: WebhookAttemptRow): Html {
  const { id, number, at, durationMs, url, responseBody, nextAttemptAt } = attempt
  return html`<article class="card pad attempt" aria-labelledby="attempt-${id}-name">
    <div class="headline">
      <h3 id="attempt-${id}-name">Attempt ${number}</h3>
      <p class="badges">${attemptBadge(event, attempt)}</p>
      <p class="soft">${stampOf(at)}, ${durationMs} ms${nextAttemptAt === null ? '' : `, again ${duration(nextAttemptAt - at)} later`}</p>
    </div>
    <div class="split even">
      <div>
        <h4>Signature, decoded</h4>
        ${signatureTable(attempt)}
      </div>
      <div>
        <h4>Answer</h4>
        ${responseBody ? html`<pre tabindex="0">${responseBody}</pre>` : html`<p class="soft">${attempt.responseStatus === null ? 'None.' : 'No body.'}</p>`}
        <p class="soft">From <code class="wrap">${url}</code></p>
      </div>
    </div>
    <details><summary>The header as it was sent</summary><pre class="wrap" id="signature-${id}" tabindex="0">X-Platform-Signature: ${attempt.signature}</pre></details>
  </article>`
}

/** The claims of the protected header, with the times explained. */
function signatureTable({ protectedHeader, at }: WebhookAttemptRow): Html {
  const claims = Object.entries(JSON.parse(protectedHeader) as Record<string, unknown>)
  return html`<dl class="pairs">${claims.map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code class="wrap">${String(value)}</code>${timeNote(name, value, at)}</dd></div>`)}</dl>`
}

function timeNote(name: string, value: unknown, atMs: number): Html | string {
  if ((name !== 'iat' && name !== 'exp') || typeof value !== 'number') return ''
  const afterMs = value * 1_000 - Math.floor(atMs / 1_000) * 1_000
  const distance =
    afterMs === 0
      ? 'when it was sent'
      : `${duration(Math.abs(afterMs))} ${afterMs > 0 ? 'after' : 'before'} it was sent`
  return html`<span class="sub">${stampOf(value * 1_000)}, ${distance}</span>`
}
