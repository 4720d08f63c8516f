import { html } from 'hono/html'
import { type WebhookEvent, webhookEvents } from '../../../contract/events.ts'
import type { ListedDelivery } from '../../store/console-queries.ts'
import type { WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import type { Html } from '../document.ts'
import { actForm } from './acts.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { relativeTo } from './moments.ts'
import { beforeIn, pageOf, pager, rowsAsked } from './paging.ts'
import { chips, emptyState, table } from './table.ts'

type DeliveryState = WebhookDeliveryRow['state']

const deliveryTones: Readonly<Record<DeliveryState, string>> = {
  pending: 'busy',
  acknowledged: 'good',
  ended: 'calm',
}

/** Webhook deliveries, newest first, with the last answer and the next try. */
export function webhooksPage(context: ConsoleContext, parts: ConsoleParts) {
  const { queries, clock, directory } = parts
  const query = new URL(context.req.url).searchParams
  const state = nameIn(deliveryTones, query.get('state'))
  const event = nameIn(webhookEvents, query.get('event'))
  const found = queries.deliveries({ before: beforeIn(query), count: rowsAsked, state, event })
  const { rows, next } = pageOf(found, ({ id }) => id)
  const nowMs = clock.nowMs()
  const nextOf = (row: ListedDelivery) =>
    directory.byId(row.gameServerId)?.webhookUrl == null && row.state === 'pending'
      ? 'waits for a webhook URL'
      : nextTry(row, nowMs)
  return consolePage(context, parts, {
    title: 'Webhooks',
    menuPath: '/console/webhooks',
    content: html`
      <h1>Webhooks</h1>
      ${chips('By state and event', [
        { name: 'all', href: '/console/webhooks', isChosen: state === null && event === null },
        ...Object.entries(deliveryTones).map(([name, tone]) => ({
          name,
          tone,
          href: `/console/webhooks?state=${name}`,
          isChosen: state === name,
        })),
        ...Object.keys(webhookEvents).map((name) => ({
          name,
          href: `/console/webhooks?event=${name}`,
          isChosen: event === name,
        })),
      ])}
      ${
        rows.length === 0
          ? emptyState('No webhook here', 'A transfer_order goes out as soon as a purchase is paid.')
          : table('Webhook deliveries', rows, ({ id }) => id, [
              {
                name: 'No.',
                cell: ({ id }) => html`<a href="/console/webhooks/${id}">${id}</a>`,
                isFigure: true,
              },
              { name: 'Event', cell: ({ event: name }) => html`<code>${name}</code>` },
              {
                name: 'Transaction',
                cell: ({ transactionId, itemRef }) =>
                  html`<a href="/console/transactions/${transactionId}">no. ${transactionId}</a><code class="sub">${itemRef}</code>`,
              },
              { name: 'State', cell: (row) => stateBadge(row) },
              { name: 'Attempts', cell: ({ attempts }) => attempts, isFigure: true },
              {
                name: 'Last answer',
                cell: ({ lastStatus, lastFailure }) =>
                  html`<span class="wrap">${lastStatus ?? lastFailure ?? '–'}</span>`,
              },
              { name: 'Next try', cell: nextOf },
              { name: 'Act', cell: ({ id }) => resendForm(id) },
            ])
      }
      ${pager('/console/webhooks', query, next)}`,
  })
}

/** The state of a delivery, and whether a fault delays it. */
export function stateBadge({ state, isHeld }: WebhookDeliveryRow): Html {
  return html`<span class="badge ${deliveryTones[state]}">${state}</span>${isHeld ? html` <span class="badge argued">held back</span>` : ''}`
}

/** Makes a delivery due now. */
export function resendForm(id: number): Html {
  return actForm({ method: 'POST', path: `/stub/webhooks/${id}/resend`, label: 'Resend' })
}

/** When a delivery is tried again. */
export function nextTry({ nextAttemptAt }: WebhookDeliveryRow, nowMs: number): Html | string {
  return nextAttemptAt === null ? '–' : relativeTo(nextAttemptAt, nowMs)
}

function nameIn<Name extends DeliveryState | WebhookEvent>(
  names: Readonly<Record<Name, unknown>>,
  asked: string | null,
): Name | null {
  return asked !== null && Object.hasOwn(names, asked) ? (asked as Name) : null
}
