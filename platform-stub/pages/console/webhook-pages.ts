import { html } from 'hono/html'
import { webhookEvents } from '../../../contract/events.ts'
import { positiveInteger } from '../../developer/control/control-request.ts'
import type { ListedDelivery } from '../../store/console-queries.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import { duration } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { relativeTo, stampOf } from '../formats.ts'
import { badge, card, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm } from './acts.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { attemptBadge } from './exchange-view.ts'
import { beforeIn, choiceIn, choices, emptyState, pageOf, rowsAsked, table } from './list.ts'

const deliveryTones: Readonly<Record<WebhookDeliveryRow['state'], string>> = {
  pending: 'busy',
  acknowledged: 'good',
  ended: 'calm',
}

/** Webhook deliveries, newest first, with the last answer and the next try. */
export function webhooksPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const state = choiceIn(deliveryTones, request.query.get('state'))
  const event = choiceIn(webhookEvents, request.query.get('event'))
  const found = parts.queries.deliveries({ before: beforeIn(request), count: rowsAsked, state, event })
  const { rows, pager } = pageOf(t, request, found, ({ id }) => id)
  const empty = emptyState('No webhook here', 'A transfer_order goes out as soon as a purchase is paid.')
  return {
    title: 'Webhooks',
    content: html`
      <h1>Webhooks</h1>
      ${choices(t, 'By state and event', request, [
        { name: 'all' },
        ...Object.entries(deliveryTones).map(([name, tone]) => ({ name, tone, parameter: ['state', name] }) as const),
        ...Object.keys(webhookEvents).map((name) => ({ name, parameter: ['event', name] }) as const),
      ])}
      ${table<ListedDelivery>('Webhook deliveries', rows, ({ id }) => id, empty, [
        { name: 'No.', look: 'figure', cell: ({ id }) => html`<a href="/console/webhooks/${id}">${id}</a>` },
        { name: 'Event', look: 'wide', cell: (row) => html`<code>${row.event}</code>` },
        {
          name: 'Transaction',
          cell: ({ transactionId, itemRef }) =>
            html`<a href="/console/transactions/${transactionId}">no. ${transactionId}</a><code class="sub">${itemRef}</code>`,
        },
        { name: 'State', cell: stateBadge },
        { name: 'Attempts', look: 'figure', cell: ({ attempts }) => attempts },
        { name: 'Last answer', cell: ({ lastStatus, lastFailure }) => lastStatus ?? lastFailure ?? '–' },
        { name: 'Next try', cell: (row) => nextTry(parts, row) },
        { name: 'Act', cell: resendForm },
      ])}
      ${pager}`,
  }
}

/** The state of a delivery, and whether a fault delays it. */
function stateBadge({ state, isHeld }: WebhookDeliveryRow): Html {
  return html`${badge(deliveryTones[state], state)} ${isHeld ? badge('argued', 'held back') : ''}`
}

/** Makes a delivery due now. */
function resendForm({ id }: WebhookDeliveryRow): Html {
  return actForm({ method: 'POST', path: `/stub/webhooks/${id}/resend`, label: 'Resend' })
}

/** When a delivery is tried again. */
function nextTry({ t, directory, clock }: ConsoleParts, delivery: WebhookDeliveryRow): Html | string {
  if (delivery.nextAttemptAt === null) return '–'
  const hasReceiver = directory.byId(delivery.gameServerId)?.webhookUrl != null
  return hasReceiver ? relativeTo(delivery.nextAttemptAt, clock.nowMs(), t.lang) : 'waits for a webhook URL'
}

/** A delivery with its attempts, newest first: payload, signature and answer. */
export function webhookPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const { webhooks } = parts.platform.tables
  const delivery = webhooks.byId(positiveInteger(request.id) ?? 0)
  if (!delivery) return notFoundPage(t, `Webhook ${request.id}`, '/console/webhooks')
  const { id, event, transactionId, gameServerId, payload, state } = delivery
  const found = webhooks.newestAttempts(id, beforeIn(request), rowsAsked)
  const { rows, pager } = pageOf(t, request, found, (attempt) => attempt.id)
  const count = webhooks.attemptCount(id)
  const hint = parts.directory.byId(gameServerId)?.webhookUrl
    ? 'It goes out when it is due.'
    : html`The game server has no webhook URL: <a href="/console/game-servers/${gameServerId}">set one</a>.`
  const body = html`<pre tabindex="0">${JSON.stringify(JSON.parse(payload), null, 2)}</pre>
    <details>
      <summary>Byte for byte, as it is signed and sent</summary>
      <pre class="wrap" id="body" tabindex="0">${payload}</pre>
      <button type="button" class="button small" data-copies="body" data-done="Copied">Copy</button>
    </details>`
  return detailPage(
    t,
    '/console/webhooks',
    `Webhook ${id}`,
    html`<code>${event}</code> <span class="soft">no. ${id}</span>`,
    stateBadge(delivery),
    html`<div class="row">
        ${resendForm(delivery)}
        <p>Transaction <a href="/console/transactions/${transactionId}">no. ${transactionId}</a></p>
        ${state === 'pending' ? html`<p>Next try ${nextTry(parts, delivery)}</p>` : ''}
      </div>
      ${card('payload', 'Payload', body)}
      <h2>${count === 1 ? '1 attempt' : `${count.toLocaleString(t.lang)} attempts`}</h2>
      ${count === 0 ? emptyState('Not tried yet', hint) : ''}
      <ol class="stack">${rows.map((attempt) => attemptCard(t, delivery, attempt))}</ol>
      ${pager}`,
  )
}

function attemptCard(t: Texts, { event }: WebhookDeliveryRow, attempt: WebhookAttemptRow): Html {
  const { id, number, at, durationMs, url, signature, responseBody, responseStatus, nextAttemptAt } = attempt
  const again = nextAttemptAt === null ? '' : `, again ${duration(nextAttemptAt - at)} later`
  const answer = responseBody
    ? html`<pre tabindex="0">${responseBody}</pre>`
    : html`<p class="soft">${responseStatus === null ? 'None.' : 'No body.'}</p>`
  return html`<li class="card pad stack" id="attempt-${id}">
    <div class="row"><h3 id="attempt-${id}-name">Attempt ${number}</h3>${attemptBadge(t, event, attempt)}<p class="soft">${stampOf(at, t.lang)}, ${durationMs} ms${again}</p></div>
    <div class="split">
      <div class="list"><h4>Signature, decoded</h4>${claims(t, attempt)}</div>
      <div class="list"><h4>Answer</h4>${answer}<p class="soft">From <code class="wrap">${url}</code></p></div>
    </div>
    <details><summary>The header as it was sent</summary><pre class="wrap" tabindex="0">X-Platform-Signature: ${signature}</pre></details>
  </li>`
}

/** The claims of the protected header, with the times explained. */
function claims(t: Texts, { protectedHeader, at }: WebhookAttemptRow): Html {
  const all = Object.entries(JSON.parse(protectedHeader) as Record<string, unknown>)
  const explained = all.map(([name, value]) => [
    name,
    html`<code class="wrap">${String(value)}</code>${timeNote(t, name, value, at)}`,
  ])
  return pairs(Object.fromEntries(explained))
}

function timeNote(t: Texts, name: string, value: unknown, atMs: number): Html | string {
  if ((name !== 'iat' && name !== 'exp') || typeof value !== 'number') return ''
  const afterMs = value * 1_000 - Math.floor(atMs / 1_000) * 1_000
  const distance = afterMs === 0 ? 'when' : `${duration(Math.abs(afterMs))} ${afterMs > 0 ? 'after' : 'before'}`
  return html`<span class="sub">${stampOf(value * 1_000, t.lang)}, ${distance} it was sent</span>`
}
