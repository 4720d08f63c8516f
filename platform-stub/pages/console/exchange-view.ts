import { html } from 'hono/html'
import type { WebhookEvent } from '../../../contract/events.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { WebhookAttemptRow } from '../../store/webhook-rows.ts'
import { isAcknowledgement } from '../../webhooks/post.ts'
import type { Html } from '../document.ts'
import { relativeTo, stampOf } from '../formats.ts'
import { badge } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import type { ConsoleParts } from './console-parts.ts'
import { awaited, type Expectation, exchangeOf, type Observation, observationIn } from './exchange.ts'

/** Maximum number of webhooks that are looked at. A game server that reports TEMPORARY again and again gets many. */
const webhooksMax = 20

type Exchange = ReturnType<typeof exchangeOf>

/** What was acknowledged of a transaction, and what is expected. */
export function exchangeWith({ queries, directory }: ConsoleParts, transaction: TransactionRow): Exchange {
  const { id, gameServerId } = transaction
  const hasReceiver = directory.byId(gameServerId)?.webhookUrl != null
  const webhooks = queries.webhooksOf(id, webhooksMax)
  return exchangeOf(phaseOfRow(transaction), webhooks, queries.dueMovesOf(id), hasReceiver)
}

const help: Readonly<Record<keyof typeof awaited, Html>> = {
  'awaiting-payment': html`The buyer pays on the checkout page, or you press <b>Pay</b>.`,
  'awaiting-server': html`The game server transfers the item and calls <code>transaction.delivery</code>, or <code>transaction.delivery-failure</code> if it cannot. Nothing else moves this transaction on.`,
  disputed: html`The staff decides: press <b>Reject dispute</b> or <b>Refund</b>.`,
}

/** What is expected, with what to do. */
export function expectedList(t: Texts, { expected }: Exchange, nowMs: number): Html {
  if (expected.length === 0) return html`<p class="soft">Nothing: it is over.</p>`
  return html`<ul class="list">${expected.map((one) => html`<li>${one.kind === 'act' ? help[one.phase] : html`${one.kind === 'acknowledgement' ? 'The game server’s ' : ''}${inWords(t, one, nowMs)}`}</li>`)}</ul>`
}

/** What is expected, as a cell of a table: the next one first. */
export function expectedCell(t: Texts, { expected }: Exchange, nowMs: number): Html | string {
  if (expected.length === 0) return 'nothing'
  return html`${expected.map((one) =>
    one.kind === 'act'
      ? html`${awaited[one.phase].by}<span class="sub">${awaited[one.phase].act}</span>`
      : html`<span class="sub">${inWords(t, one, nowMs)}</span>`,
  )}`
}

const obstacles = {
  'webhook-url': 'waits for a webhook URL',
  terminal: 'is held back by a fault until transaction_terminal was acknowledged',
}

function inWords(t: Texts, expectation: Exclude<Expectation, { readonly kind: 'act' }>, nowMs: number): Html {
  if (expectation.kind === 'move')
    return html`<code>${expectation.trigger}</code> ${relativeTo(expectation.atMs, nowMs, t.lang)}`
  const { id, event, attempt, due } = expectation
  const when = typeof due === 'object' ? relativeTo(due.atMs, nowMs, t.lang) : obstacles[due]
  return html`2xx to <a href="/console/webhooks/${id}"><code>${event}</code></a>, attempt ${attempt} ${when}`
}

/** The webhooks that were acknowledged, with the time and the stock of each answer. */
export function acknowledgedList(t: Texts, { acknowledged }: Exchange): Html {
  if (acknowledged.length === 0) return html`<span class="soft">nothing</span>`
  return html`<ul class="list">${acknowledged.map(({ id, event, atMs, observation }) => {
    const stock = observation === null ? '' : `, ${observationInWords(observation)}`
    return html`<li><a href="/console/webhooks/${id}"><code>${event}</code></a><span class="sub">${stampOf(atMs, t.lang)}${stock}</span></li>`
  })}</ul>`
}

function observationInWords(observation: Observation): string {
  if (observation === 'cut') return 'its answer is too long to show'
  return observation === 'none' ? 'no observedQuantity' : `observed ${observation}`
}

/** The colour of an attempt: good, wrong, or taken without the stock that it was asked for. */
export function attemptTone(event: WebhookEvent, { responseStatus, responseBody }: WebhookAttemptRow): string {
  if (responseStatus === null || !isAcknowledgement(responseStatus)) return 'bad'
  return event === 'transfer_order' && observationIn(responseBody) === 'none' ? 'wait' : 'good'
}

/** How an attempt ended, in a few words. */
export function attemptBadge(t: Texts, event: WebhookEvent, attempt: WebhookAttemptRow): Html {
  const { responseStatus, failure, fault } = attempt
  const tone = attemptTone(event, attempt)
  const remark = tone === 'wait' ? `, ${t.attempt.noObservation}` : ''
  return html`${badge(tone, `${responseStatus ?? failure ?? t.attempt.noAnswer}${remark}`)} ${fault && badge('argued', t.attempt.fault(fault))}`
}
