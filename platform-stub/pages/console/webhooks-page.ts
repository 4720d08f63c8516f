import { html } from 'hono/html'
import { webhookEvents } from '../../../contract/events.ts'
import type { ListedDelivery } from '../../store/console-queries.ts'
import type { WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import type { Html } from '../document.ts'
import { relativeTo } from '../formats.ts'
import { badge } from '../parts.ts'
import { actForm } from './acts.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { beforeIn, choiceIn, choices, emptyState, pageOf, rowsAsked, table } from './list.ts'

const deliveryTones: Readonly<Record<WebhookDeliveryRow['state'], string>> = {
  pending: 'busy',
  acknowledged: 'good',
  ended: 'calm',
}

/** Webhook deliveries, newest first, with the last answer and the next try. */
export function webhooksPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const state = choiceIn(deliveryTones, request.query.get('state'))
  const event = choiceIn(webhookEvents, request.query.get('event'))
  const found = parts.queries.deliveries({ before: beforeIn(request), count: rowsAsked, state, event })
  const { rows, pager } = pageOf(request, found, ({ id }) => id)
  const empty = emptyState('No webhook here', 'A transfer_order goes out as soon as a purchase is paid.')
  return {
    title: 'Webhooks',
    content: html`
      <h1>Webhooks</h1>
      ${choices('By state and event', request, [
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
export function stateBadge({ state, isHeld }: WebhookDeliveryRow): Html {
  return html`${badge(deliveryTones[state], state)} ${isHeld ? badge('argued', 'held back') : ''}`
}

/** Makes a delivery due now. */
export function resendForm({ id }: WebhookDeliveryRow): Html {
  return actForm({ method: 'POST', path: `/stub/webhooks/${id}/resend`, label: 'Resend' })
}

/** When a delivery is tried again. */
export function nextTry({ directory, clock }: ConsoleParts, delivery: WebhookDeliveryRow): Html | string {
  if (delivery.nextAttemptAt === null) return '–'
  const hasReceiver = directory.byId(delivery.gameServerId)?.webhookUrl != null
  return hasReceiver ? relativeTo(delivery.nextAttemptAt, clock.nowMs()) : 'waits for a webhook URL'
}
