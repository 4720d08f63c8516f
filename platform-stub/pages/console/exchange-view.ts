import { html } from 'hono/html'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { relativeTo, stampOf } from '../formats.ts'
import type { ConsoleParts } from './console-parts.ts'
import { type Acknowledgement, awaited, type Expectation, exchangeOf } from './exchange.ts'

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
export function expectedList({ expected }: Exchange, nowMs: number): Html {
  if (expected.length === 0) return html`<p class="soft">Nothing: it is over.</p>`
  return html`<ul class="list">${expected.map((one) => html`<li>${one.kind === 'act' ? help[one.phase] : html`${one.kind === 'acknowledgement' ? 'The game server’s ' : ''}${inWords(one, nowMs)}`}</li>`)}</ul>`
}

/** What is expected, as a cell of a table: the next one first. */
export function expectedCell({ expected }: Exchange, nowMs: number): Html | string {
  if (expected.length === 0) return 'nothing'
  return html`${expected.map((one) =>
    one.kind === 'act'
      ? html`${awaited[one.phase].by}<span class="sub">${awaited[one.phase].act}</span>`
      : html`<span class="sub">${inWords(one, nowMs)}</span>`,
  )}`
}

function inWords(expectation: Exclude<Expectation, { readonly kind: 'act' }>, nowMs: number): Html {
  if (expectation.kind === 'move')
    return html`<code>${expectation.trigger}</code> ${relativeTo(expectation.atMs, nowMs)}`
  const { id, event, attempt, due } = expectation
  const when =
    due === 'webhook-url'
      ? 'waits for a webhook URL'
      : due === 'terminal'
        ? 'is held back by a fault until transaction_terminal was acknowledged'
        : relativeTo(due.atMs, nowMs)
  return html`2xx to <a href="/console/webhooks/${id}"><code>${event}</code></a>, attempt ${attempt} ${when}`
}

/** The webhooks that were acknowledged, with the time and the stock of each answer. */
export function acknowledgedList({ acknowledged }: Exchange): Html {
  if (acknowledged.length === 0) return html`<p class="soft">No webhook yet.</p>`
  return html`<ul class="list">${acknowledged.map(
    (one) =>
      html`<li><a href="/console/webhooks/${one.id}"><code>${one.event}</code></a><span class="sub">${stampOf(one.atMs)}${stockInWords(one)}</span></li>`,
  )}</ul>`
}

/** The same as a cell of a table. */
export function acknowledgedCell({ acknowledged }: Exchange, nowMs: number): Html | string {
  if (acknowledged.length === 0) return 'nothing'
  return html`${acknowledged.map((one) => html`<code>${one.event}</code><span class="sub">${relativeTo(one.atMs, nowMs)}${stockInWords(one)}</span>`)}`
}

function stockInWords({ observation }: Acknowledgement): string {
  if (observation === null) return ''
  if (observation === 'cut') return ', its answer is too long to show'
  return observation === 'none' ? ', no observedQuantity' : `, observed ${observation}`
}
