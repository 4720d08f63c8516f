import { html } from 'hono/html'
import { isNotTakenYet, type WebhookEvent } from '../../../contract/events.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { WebhookAttemptRow } from '../../store/webhook-rows.ts'
import { isAcknowledgement } from '../../webhooks/webhook-post.ts'
import type { Html } from '../document.ts'
import { relativeTo, stampOf } from '../formats.ts'
import { badge } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import type { ConsoleParts } from './console-parts.ts'
import { type Due, type Expectation, exchangeOf, type Observation, observationIn } from './exchange.ts'
import { moveName } from './phase-view.ts'

/** Maximum number of webhooks that are looked at. A game server that reports TEMPORARY again and again gets many. */
const webhooksMax = 20

type Exchange = ReturnType<typeof exchangeOf>

/** What was acknowledged of a transaction, and what is expected. */
export function exchangeWith({ queries, directory, clock }: ConsoleParts, transaction: TransactionRow): Exchange {
  const { id, gameServerId } = transaction
  const hasReceiver = directory.byId(gameServerId)?.webhookUrl != null
  const webhooks = queries.webhooksOf(id, webhooksMax)
  return exchangeOf(phaseOfRow(transaction), webhooks, queries.dueMovesOf(id), hasReceiver, clock.nowMs())
}

/** What is expected, with what to do. */
export function expectedList(t: Texts, { expected }: Exchange, nowMs: number): Html {
  if (expected.length === 0) return html`<p class="soft">${t.exchange.isOver}</p>`
  return html`<ul class="list">${expected.map((one) => html`<li>${inSentence(t, one, nowMs)}</li>`)}</ul>`
}

function inSentence(t: Texts, one: Expectation, nowMs: number): Html {
  if (one.kind === 'act') return t.exchange.awaited[one.phase].help
  const said = inWords(t, one, nowMs)
  return one.kind === 'acknowledgement' ? t.exchange.fromGameServer(said) : said
}

/** What is expected, as a cell of a table: the next one first. */
export function expectedCell(t: Texts, { expected }: Exchange, nowMs: number): Html | string {
  if (expected.length === 0) return t.exchange.nothing
  return html`${expected.map((one) =>
    one.kind === 'act'
      ? html`${t.exchange.awaited[one.phase].by}<span class="sub">${t.exchange.awaited[one.phase].act}</span>`
      : html`<span class="sub">${inWords(t, one, nowMs)}</span>`,
  )}`
}

function inWords(t: Texts, expectation: Exclude<Expectation, { readonly kind: 'act' }>, nowMs: number): Html {
  if (expectation.kind === 'move')
    return html`<code>${moveName(t, expectation.trigger)}</code> ${relativeTo(expectation.atMs, nowMs, t.lang)}`
  const { id, event, attempt, due } = expectation
  const link = html`<a href="/console/webhooks/${id}"><code>${event}</code></a>`
  return t.exchange.acknowledgement(link, attempt, dueInWords(t, due, nowMs))
}

/** When a delivery is attempted next, in words. */
export function dueInWords(t: Texts, due: Due, nowMs: number): Html | string {
  return typeof due === 'object' ? relativeTo(due.atMs, nowMs, t.lang) : t.exchange.due[due]
}

/** The webhooks that were acknowledged, with the time and the stock of each answer. */
export function acknowledgedList(t: Texts, { acknowledged }: Exchange): Html {
  if (acknowledged.length === 0) return html`<span class="soft">${t.exchange.nothing}</span>`
  return html`<ul class="list">${acknowledged.map(({ id, event, atMs, observation }) => {
    const stock = observation === null ? '' : `, ${observationInWords(t, observation)}`
    return html`<li><a href="/console/webhooks/${id}"><code>${event}</code></a><span class="sub">${stampOf(atMs, t.lang)}${stock}</span></li>`
  })}</ul>`
}

function observationInWords({ exchange }: Texts, observation: Observation): string {
  if (observation === 'cut') return exchange.cut
  return observation === 'none' ? exchange.notObserved : exchange.observed(observation)
}

/** What an attempt led to. */
type AttemptResult = Pick<WebhookAttemptRow, 'responseStatus' | 'responseBody' | 'failure' | 'fault'>

/** What an attempt came to: `not-taken` and `no-stock` are neither failures nor a success. */
function resultOf(event: WebhookEvent, { responseStatus, responseBody }: AttemptResult) {
  if (responseStatus === null) return 'failed'
  if (!isAcknowledgement(responseStatus)) return isNotTakenYet(responseBody) ? 'not-taken' : 'failed'
  return event === 'transfer_order' && observationIn(responseBody) === 'none' ? 'no-stock' : 'taken'
}

const resultTones = { failed: 'bad', 'not-taken': 'wait', 'no-stock': 'wait', taken: 'good' } as const

/** The colour of an attempt. */
export function attemptTone(event: WebhookEvent, attempt: AttemptResult): string {
  return resultTones[resultOf(event, attempt)]
}

/** What the system said about a connection that failed. It is English in every language of the page. */
function failureText(failure: string): Html {
  return html`<span lang="en">${failure}</span>`
}

/** How an attempt ended, in a few words. */
export function attemptBadge(t: Texts, event: WebhookEvent, attempt: AttemptResult): Html {
  const { responseStatus, failure, fault } = attempt
  const result = resultOf(event, attempt)
  const remark = result === 'not-taken' || result === 'no-stock' ? `, ${t.attempt.remarks[result]}` : ''
  const answer = responseStatus ?? (failure ? failureText(failure) : t.attempt.noAnswer)
  return html`${badge(resultTones[result], html`${answer}${remark}`)} ${fault && badge('argued', t.attempt.fault(fault))}`
}
