import { html } from 'hono/html'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { positiveInteger } from '../../http/positive-integer.ts'
import { actsOfOthers, pathOfAct } from '../../marketplace/transactions/acts.ts'
import { listingOf } from '../../marketplace/transactions/apply.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { inReais, stampOf } from '../formats.ts'
import { card, copyable, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm } from './acts.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { acknowledgedList, exchangeWith, expectedList } from './exchange-view.ts'
import { estimateInWords } from './listings-page.ts'
import { listingMachine } from './machine.ts'
import { machinePicture, transactionPicture } from './machine-picture.ts'
import { moveName, statusBadges, stepsOf } from './phase-view.ts'
import { reportList } from './reports.ts'
import { standInActs } from './stand-in-acts.ts'
import { timeline } from './timeline.ts'

/** The acts that lead on as they normally do. */
const firstActs: ReadonlySet<string> = new Set(['pay', 'reject-dispute'])

/** A transaction: what happened to it, and what can be done. */
export function transactionPage(parts: ConsoleParts, { id }: PageRequest): ConsolePage {
  const { platform, clock, t } = parts
  const { transactions } = platform.tables
  const transaction = transactions.byId(positiveInteger(id) ?? 0)
  if (!transaction) return notFoundPage(t, t.transaction.title(id), '/console/transactions')
  const listing = listingOf(platform, transaction)
  const phase = phaseOfRow(transaction)
  const history = transactions.historyOf(transaction.id)
  const exchange = exchangeWith(parts, transaction)
  return detailPage(
    t,
    '/console/transactions',
    t.transaction.title(id),
    html`${listing.itemName} <span class="soft">${t.common.number(id)}</span>`,
    html`${statusBadges(transaction)}<strong>${transactionPhases[phase].outcome}</strong>`,
    html`${card('next', t.transaction.next, html`${expectedList(t, exchange, clock.nowMs())}${actBar(t, transaction.id, phase)}`, 'pad stack')}
      <div class="split aside">
        <div class="stack">
          ${card(
            'state',
            t.transaction.state,
            html`${transactionPicture(t, { current: phase, way: stepsOf(history) })}
              <details><summary>${t.transaction.listingStates}</summary>${machinePicture(t, listingMachine, { current: listing.status, way: [] })}</details>`,
          )}
          ${card('happened', t.transaction.history, timeline(parts, transaction, history))}
        </div>
        <div class="stack">
          ${standInActs(parts, transaction, listing)}
          ${card('reported', t.transaction.reported, reportList(t, history))}
          ${card('acknowledged', t.transaction.acknowledged, acknowledgedList(t, exchange))}
          ${card('facts', t.transaction.facts, facts(parts, transaction, listing))}
        </div>
      </div>`,
  )
}

function actBar(t: Texts, id: number, phase: TransactionPhase): Html | '' {
  const possible = actsOfOthers.filter((act) => transactionMoves[phase][act])
  const byOthers = Object.entries(transactionMoves[phase])
    .filter(([trigger, to]) => to !== phase && !actsOfOthers.some((act) => act === trigger))
    .map(([trigger]) => html`<code>${moveName(t, trigger)}</code> `)
  if (possible.length + byOthers.length === 0) return ''
  return html`<div class="row">
    ${possible.map((act) => actForm({ method: 'POST', path: pathOfAct(id, act), label: t.transaction.acts[act], button: firstActs.has(act) ? 'first' : '' }))}
    ${byOthers.length > 0 ? html`<p class="soft">${t.transaction.byOthers(byOthers)}</p>` : ''}
  </div>`
}

function facts(
  { t, clock, directory, platform }: ConsoleParts,
  transaction: TransactionRow,
  listing: ListingRow,
): Html {
  const texts = t.transaction
  const { quantity, unitAmountCents, gameServerId, failureReason } = transaction
  const checkoutUrl = `${platform.publicUrl()}/checkout/${transaction.checkoutToken}`
  const times = (['createdAt', 'expiresAt', 'paidAt', 'deliveredAt', 'completedAt', 'retryAt'] as const).map(
    (name) => [name, transaction[name] && stampOf(transaction[name], t.lang)] as const,
  )
  return html`${pairs({
    [texts.total]: html`<strong>${inReais(quantity * unitAmountCents, t.lang)}</strong>`,
    [texts.quantity]: `${quantity} × ${inReais(unitAmountCents, t.lang)}`,
    transactionId: copyable(t, 'transactionId', transaction.id),
    [texts.item]: html`${listing.itemName}<span class="sub">${copyable(t, 'itemRef', listing.itemRef)}</span>`,
    [texts.attributes]: html`<span class="wrap">${listing.attributes}</span>`,
    [texts.buyer]: copyable(t, texts.buyer, transaction.buyerCharacterRef),
    [texts.seller]: copyable(t, texts.seller, listing.sellerCharacterRef),
    [texts.gameServer]: html`<a href="/console/game-servers/${gameServerId}">${directory.byId(gameServerId)?.name}</a>`,
    [texts.checkout]: copyable(t, texts.checkout, html`<a href="${checkoutUrl}">${checkoutUrl}</a>`),
    [texts.phase]: t.transactions.phases[phaseOfRow(transaction)],
    failureReason: failureReason && html`<code>${failureReason}</code>`,
    ...Object.fromEntries(times),
  })}
  <h3>${texts.stock}</h3>
  ${estimateInWords(t, listing, clock.nowMs(), platform.settings.observationFreshnessMs)}`
}
