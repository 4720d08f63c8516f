import { html } from 'hono/html'
import { positiveInteger } from '../../http/positive-integer.ts'
import type { OneOffRow } from '../../store/one-off-rows.ts'
import { testOutcomes } from '../../webhooks/test-event.ts'
import type { Html } from '../document.ts'
import { stampOf } from '../formats.ts'
import { badge, card, copyable } from '../parts.ts'
import { actForm, field } from './acts.ts'
import { oneOffCard, payloadView } from './attempt-card.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { attemptBadge } from './exchange-view.ts'
import { emptyState, pageOf, table } from './list.ts'

const place = '/console/webhooks/tests'

/** What sends a test event to a game server. */
export function testEventForm({ t, directory }: ConsoleParts, isOpen: boolean): Html | string {
  const servers = directory.all()
  if (servers.length === 0) return ''
  const texts = t.testEvents
  const options = servers
    .toReversed()
    .map(({ id, name }) => html`<option value="${id}">${name} (${t.common.number(id)})</option>`)
  const reference = (name: string, preset: string) =>
    field(name, html`name="${name}" placeholder="${preset}" maxlength="255"`)
  const choice = (event: string, own: Html, isFirst: boolean) => html`<div class="kind">
    <label><input type="radio" name="event" value="${event}" ${isFirst ? html`checked` : ''}> <code>${event}</code></label>
    <div class="fields">${own}</div>
  </div>`
  const form = actForm({
    method: 'POST',
    path: '/stub/game-servers/{gameServerId}/test-events',
    label: texts.send,
    button: 'first',
    className: 'stack',
    goesTo: `${place}/{id}`,
    fields: html`
      <fieldset><legend>${texts.event}</legend>
        ${choice('transfer_order', html`${field('quantity', html`name="quantity" type="number" min="1" placeholder="1"`)}${reference('buyerCharacterRef', 'test-buyer')}${reference('sellerCharacterRef', 'test-seller')}`, true)}
        ${choice('transaction_terminal', html`<label class="field"><span>outcome</span><select name="outcome">${testOutcomes.map((outcome) => html`<option>${outcome}</option>`)}</select></label>`, false)}
      </fieldset>
      <div class="fields">
        <label class="field"><span>${texts.gameServer}</span><select name="gameServerId">${options}</select></label>
        ${reference('itemRef', 'test-item')}
        ${field(texts.transaction, html`name="transactionId" type="number" min="2000000001" placeholder="${texts.newOne}"`)}
        ${field(texts.address, html`name="webhookUrl" type="url" placeholder="${texts.ownAddress}"`)}
      </div>`,
  })
  return html`<details class="card pad" ${isOpen ? html`open` : ''}><summary>${texts.sendOne}</summary><p class="soft">${texts.about}</p>${form}</details>`
}

/** The test events that were sent, newest first. */
export function testEventTable(
  parts: ConsoleParts,
  request: PageRequest,
  choice: Parameters<ConsoleParts['queries']['testEvents']>[0],
): Html {
  const { t } = parts
  const { columns } = t.webhooks
  const { rows, pager } = pageOf(t, request, parts.queries.testEvents(choice), ({ id }) => id)
  const empty = emptyState(t.testEvents.none, choice.search ? t.webhooks.nothingFits : t.testEvents.comesWith)
  return html`${table<OneOffRow>(t.testEvents.title, rows, ({ id }) => id, empty, [
    { name: t.common.no, look: 'figure', cell: ({ id }) => html`<a href="${place}/${id}">${id}</a>` },
    { name: columns.time, cell: ({ at }) => stampOf(at, t.lang) },
    {
      name: columns.event,
      look: 'wide',
      cell: ({ event }) => html`<code>${event}</code> ${badge('argued', t.testEvents.badge)}`,
    },
    {
      name: columns.transaction,
      cell: ({ payload }) => {
        const { transactionId, itemRef } = JSON.parse(payload) as { transactionId: number; itemRef: string }
        return html`${transactionId}<code class="sub">${itemRef}</code>`
      },
    },
    { name: t.testEvents.sentTo, look: 'wide', cell: ({ url }) => copyable(t, t.webhook.address, url) },
    { name: columns.lastAnswer, cell: (row) => attemptBadge(t, row.event, { ...row, fault: null }) },
  ])}${pager}`
}

/** A test event with its answer. */
export function testEventPage({ t, platform, directory }: ConsoleParts, { id }: PageRequest): ConsolePage {
  const sent = platform.tables.oneOffs.byId(positiveInteger(id) ?? 0)
  const title = t.testEvents.one(id)
  if (!sent || sent.deliveryId !== null) return notFoundPage(t, title, '/console/webhooks')
  const { gameServerId, event, payload } = sent
  return detailPage(
    t,
    '/console/webhooks',
    title,
    html`<code>${event}</code> <span class="soft">${title}</span>`,
    badge('argued', t.testEvents.badge),
    html`<p><a href="/console/game-servers/${gameServerId}">${directory.byId(gameServerId)?.name}</a></p>
      ${card('payload', t.webhook.payload, payloadView(t, payload))}
      <ol class="stack">${oneOffCard(t, sent)}</ol>`,
  )
}
