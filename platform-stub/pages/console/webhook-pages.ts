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
  const { columns, ...texts } = t.webhooks
  const state = choiceIn(deliveryTones, request.query.get('state'))
  const event = choiceIn(webhookEvents, request.query.get('event'))
  const found = parts.queries.deliveries({ before: beforeIn(request), count: rowsAsked, state, event })
  const { rows, pager } = pageOf(t, request, found, ({ id }) => id)
  const empty = emptyState(texts.none, texts.comesWith)
  return {
    title: t.menu['/console/webhooks'],
    content: html`
      <h1>${t.menu['/console/webhooks']}</h1>
      ${choices(t, texts.byStateAndEvent, request, [
        { name: t.common.all },
        ...Object.entries(texts.states).map(
          ([word, name]) =>
            ({ name, tone: deliveryTones[word as keyof typeof deliveryTones], parameter: ['state', word] }) as const,
        ),
        ...Object.keys(webhookEvents).map((name) => ({ name, parameter: ['event', name] }) as const),
      ])}
      ${table<ListedDelivery>(texts.label, rows, ({ id }) => id, empty, [
        { name: t.common.no, look: 'figure', cell: ({ id }) => html`<a href="/console/webhooks/${id}">${id}</a>` },
        { name: columns.event, look: 'wide', cell: (row) => html`<code>${row.event}</code>` },
        {
          name: columns.transaction,
          cell: ({ transactionId, itemRef }) =>
            html`<a href="/console/transactions/${transactionId}">${t.common.number(transactionId)}</a><code class="sub">${itemRef}</code>`,
        },
        { name: columns.state, cell: (row) => stateBadge(t, row) },
        { name: columns.attempts, look: 'figure', cell: ({ attempts }) => attempts },
        { name: columns.lastAnswer, cell: ({ lastStatus, lastFailure }) => lastStatus ?? lastFailure ?? '–' },
        { name: columns.nextTry, cell: (row) => nextTry(parts, row) },
        { name: columns.act, cell: (row) => resendForm(t, row) },
      ])}
      ${pager}`,
  }
}

/** The state of a delivery, and whether a fault delays it. */
function stateBadge({ webhooks }: Texts, { state, isHeld }: WebhookDeliveryRow): Html {
  return html`${badge(deliveryTones[state], webhooks.states[state])} ${isHeld ? badge('argued', webhooks.isHeld) : ''}`
}

/** Makes a delivery due now. */
function resendForm({ webhooks }: Texts, { id }: WebhookDeliveryRow): Html {
  return actForm({ method: 'POST', path: `/stub/webhooks/${id}/resend`, label: webhooks.resend })
}

/** When a delivery is tried again. */
function nextTry({ t, directory, clock }: ConsoleParts, delivery: WebhookDeliveryRow): Html | string {
  if (delivery.nextAttemptAt === null) return '–'
  const hasReceiver = directory.byId(delivery.gameServerId)?.webhookUrl != null
  return hasReceiver ? relativeTo(delivery.nextAttemptAt, clock.nowMs(), t.lang) : t.webhooks.waitsForUrl
}

/** A delivery with its attempts, newest first: payload, signature and answer. */
export function webhookPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const { webhooks } = parts.platform.tables
  const delivery = webhooks.byId(positiveInteger(request.id) ?? 0)
  if (!delivery) return notFoundPage(t, t.webhook.title(request.id), '/console/webhooks')
  const { id, event, transactionId, gameServerId, payload, state } = delivery
  const found = webhooks.newestAttempts(id, beforeIn(request), rowsAsked)
  const { rows, pager } = pageOf(t, request, found, (attempt) => attempt.id)
  const count = webhooks.attemptCount(id)
  const hint = parts.directory.byId(gameServerId)?.webhookUrl
    ? t.webhook.goesOut
    : t.webhook.noUrl(`/console/game-servers/${gameServerId}`)
  const body = html`<pre tabindex="0">${JSON.stringify(JSON.parse(payload), null, 2)}</pre>
    <details>
      <summary>${t.webhook.byteForByte}</summary>
      <pre class="wrap" id="body" tabindex="0">${payload}</pre>
      <button type="button" class="button small" data-copies="body" data-done="${t.common.copied}">${t.common.copy}</button>
    </details>`
  return detailPage(
    t,
    '/console/webhooks',
    t.webhook.title(request.id),
    html`<code>${event}</code> <span class="soft">${t.common.number(id)}</span>`,
    stateBadge(t, delivery),
    html`<div class="row">
        ${resendForm(t, delivery)}
        <p>${t.webhook.transaction(html`<a href="/console/transactions/${transactionId}">${t.common.number(transactionId)}</a>`)}</p>
        ${state === 'pending' ? html`<p>${t.webhook.nextTry(nextTry(parts, delivery))}</p>` : ''}
      </div>
      ${card('payload', t.webhook.payload, body)}
      <h2>${t.webhook.attempts(count)}</h2>
      ${count === 0 ? emptyState(t.webhook.notTried, hint) : ''}
      <ol class="stack">${rows.map((attempt) => attemptCard(t, delivery, attempt))}</ol>
      ${pager}`,
  )
}

function attemptCard(t: Texts, { event }: WebhookDeliveryRow, attempt: WebhookAttemptRow): Html {
  const { id, number, at, durationMs, url, signature, responseBody, responseStatus, nextAttemptAt } = attempt
  const texts = t.webhook
  const again = nextAttemptAt === null ? '' : `, ${texts.again(duration(nextAttemptAt - at))}`
  const answer = responseBody
    ? html`<pre tabindex="0">${responseBody}</pre>`
    : html`<p class="soft">${responseStatus === null ? texts.noAnswer : texts.noBody}</p>`
  return html`<li class="card pad stack" id="attempt-${id}">
    <div class="row"><h3 id="attempt-${id}-name">${texts.attempt(number)}</h3>${attemptBadge(t, event, attempt)}<p class="soft">${stampOf(at, t.lang)}, ${durationMs} ms${again}</p></div>
    <div class="split">
      <div class="list"><h4>${texts.signature}</h4>${claims(t, attempt)}</div>
      <div class="list"><h4>${texts.answer}</h4>${answer}<p class="soft">${texts.from(url)}</p></div>
    </div>
    <details><summary>${texts.header}</summary><pre class="wrap" tabindex="0">X-Platform-Signature: ${signature}</pre></details>
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
  const [moment, length] = [stampOf(value * 1_000, t.lang), duration(Math.abs(afterMs))]
  const { whenSent, afterSent, beforeSent } = t.webhook
  const note = afterMs === 0 ? whenSent(moment) : afterMs > 0 ? afterSent(moment, length) : beforeSent(moment, length)
  return html`<span class="sub">${note}</span>`
}
