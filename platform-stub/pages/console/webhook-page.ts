import { html } from 'hono/html'
import { positiveInteger } from '../../http/positive-integer.ts'
import type { WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import type { Html } from '../document.ts'
import { card } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm, field } from './acts.ts'
import { attemptCard, oneOffCard, payloadView } from './attempt-card.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { beforeIn, emptyState, pageOf, rowsAsked } from './list.ts'
import { nextTry, resendForm, stateBadge } from './webhooks-page.ts'

/** Attempts on a page; older ones are on the next. */
const attemptsListedMax = 20

/** A delivery with its attempts, newest first: payload, signature and answer. */
export function webhookPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const { webhooks, oneOffs } = parts.platform.tables
  const delivery = webhooks.byId(positiveInteger(request.id) ?? 0)
  if (!delivery) return notFoundPage(t, t.webhook.title(request.id), '/console/webhooks')
  const { id, event, transactionId, gameServerId, payload, state } = delivery
  const found = webhooks.newestAttempts(id, beforeIn(request), rowsAsked)
  const { rows, pager } = pageOf(t, request, found, (attempt) => attempt.id)
  const count = webhooks.attemptCount(id)
  const recordedAttempts = webhooks.newestAttempts(id, null, 1)[0]?.number ?? 0
  const elsewhere = oneOffs.ofDelivery(id, attemptsListedMax)
  const hint = parts.directory.byId(gameServerId)?.webhookUrl
    ? t.webhook.goesOut
    : t.webhook.noUrl(`/console/game-servers/${gameServerId}`)
  return detailPage(
    t,
    '/console/webhooks',
    t.webhook.title(request.id),
    html`<code>${event}</code> <span class="soft">${t.common.number(id)}</span>`,
    stateBadge(t, delivery),
    html`<div class="row">
        ${resendForm(t, delivery)}
        <p>${t.webhook.transaction(html`<a href="/console/transactions/${transactionId}">${t.common.number(transactionId)}</a>`)}</p>
        ${state === 'pending' ? html`<p>${t.webhook.nextTry(nextTry(parts, { ...delivery, recordedAttempts }))}</p>` : ''}
      </div>
      ${card('payload', t.webhook.payload, payloadView(t, payload))}
      <h2>${t.webhook.attempts(count)}</h2>
      ${count === 0 ? emptyState(t.webhook.notTried, hint) : ''}
      <ol class="stack">${rows.map((attempt) => attemptCard(t, event, attempt))}</ol>
      ${pager}
      ${card('elsewhere', t.webhook.elsewhere, elsewhereForm(t, delivery))}
      ${elsewhere.length > 0 ? html`<ol class="stack">${elsewhere.map((sent) => oneOffCard(t, sent))}</ol>` : ''}`,
  )
}

function elsewhereForm(t: Texts, { id }: WebhookDeliveryRow): Html {
  const input = html`name="webhookUrl" type="url" required placeholder="http://127.0.0.1:9000/webhook"`
  return html`<p class="soft">${t.webhook.aboutElsewhere}</p>
    ${actForm({ method: 'POST', path: `/stub/webhooks/${id}/resend`, label: t.webhook.sendElsewhere, className: 'joined', fields: field(t.webhook.address, input) })}`
}
