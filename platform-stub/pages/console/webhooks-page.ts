import { html } from 'hono/html'
import { webhookEvents } from '../../../contract/events.ts'
import type { ListedDelivery } from '../../store/console-queries.ts'
import type { WebhookDeliveryRow } from '../../store/webhook-rows.ts'
import type { Html } from '../document.ts'
import { inBrief, stampOf } from '../formats.ts'
import { badge } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm } from './acts.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { dueOf } from './exchange.ts'
import { attemptBadge, dueInWords } from './exchange-view.ts'
import { beforeIn, choiceIn, choices, emptyState, pageOf, rowsAsked, searchForm, searchOf, table } from './list.ts'
import { testEventForm, testEventTable } from './test-event-pages.ts'

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
  const isOfTests = request.query.get('show') === 'tests'
  const search = searchOf(request.query)
  const page = { before: beforeIn(request), count: rowsAsked, search }
  const found = isOfTests ? [] : parts.queries.deliveries({ ...page, state, event })
  const { rows, pager } = pageOf(t, request, found, ({ id }) => id)
  const empty = emptyState(texts.none, search ? texts.nothingFits : texts.comesWith)
  return {
    title: t.menu['/console/webhooks'],
    content: html`
      <h1>${t.menu['/console/webhooks']}</h1>
      ${searchForm(t, request, { searchFor: texts.searchFor, keeps: ['state', 'event', 'show'] })}
      ${choices(t, texts.byStateAndEvent, request, [
        { name: t.common.all },
        ...Object.entries(texts.states).map(
          ([word, name]) =>
            ({ name, tone: deliveryTones[word as keyof typeof deliveryTones], parameter: ['state', word] }) as const,
        ),
        ...Object.keys(webhookEvents).map((name) => ({ name, parameter: ['event', name] }) as const),
        { name: texts.tests, tone: 'argued', parameter: ['show', 'tests'] },
      ])}
      ${testEventForm(parts, isOfTests)}
      ${
        isOfTests
          ? testEventTable(parts, request, page)
          : html`${table<ListedDelivery>(texts.label, rows, ({ id }) => id, empty, [
              {
                name: t.common.no,
                look: 'figure',
                cell: ({ id }) => html`<a href="/console/webhooks/${id}">${id}</a>`,
              },
              { name: columns.time, cell: ({ createdAt }) => stampOf(createdAt, t.lang) },
              { name: columns.event, look: 'wide', cell: (row) => html`<code>${row.event}</code>` },
              {
                name: columns.transaction,
                cell: ({ transactionId, itemRef }) =>
                  html`<a href="/console/transactions/${transactionId}">${t.common.number(transactionId)}</a><code class="sub">${inBrief(itemRef)}</code>`,
              },
              { name: columns.state, cell: (row) => stateBadge(t, row) },
              { name: columns.attempts, look: 'figure', cell: ({ attempts }) => attempts },
              {
                name: columns.lastAnswer,
                cell: (row) => (row.recordedAttempts > 0 ? attemptBadge(t, row.event, row) : '–'),
              },
              { name: columns.nextTry, cell: (row) => nextTry(parts, row) },
              { name: columns.act, cell: (row) => resendForm(t, row) },
            ])}${pager}`
      }`,
  }
}

/** The state of a delivery, and whether a fault delays it. */
export function stateBadge({ webhooks }: Texts, { state, isHeld }: WebhookDeliveryRow): Html {
  return html`${badge(deliveryTones[state], webhooks.states[state])} ${isHeld ? badge('argued', webhooks.isHeld) : ''}`
}

/** Makes a delivery due now. */
export function resendForm({ webhooks }: Texts, { id }: WebhookDeliveryRow): Html {
  return actForm({ method: 'POST', path: `/stub/webhooks/${id}/resend`, label: webhooks.resend })
}

/** When a delivery is tried again. */
export function nextTry(
  { t, directory, clock }: ConsoleParts,
  delivery: WebhookDeliveryRow & Pick<ListedDelivery, 'recordedAttempts'>,
): Html | string {
  const hasReceiver = directory.byId(delivery.gameServerId)?.webhookUrl != null
  const next = dueOf(delivery, hasReceiver, clock.nowMs())
  return next ? dueInWords(t, next.due, clock.nowMs()) : '–'
}
