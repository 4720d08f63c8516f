import { html } from 'hono/html'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { positiveInteger } from '../../developer/control/control-request.ts'
import { transactionActs } from '../../developer/control/transaction-routes.ts'
import { listingOf } from '../../marketplace/transactions/apply.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { inReais, stampOf } from '../formats.ts'
import { card, pairs } from '../parts.ts'
import { actForm } from './acts.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { acknowledgedList, exchangeWith, expectedList } from './exchange-view.ts'
import { estimateInWords } from './listings-page.ts'
import { listingMachine, transactionMachine } from './machine.ts'
import { machinePicture } from './machine-picture.ts'
import { phaseName, statusBadges, stepsOf } from './phase-view.ts'
import { timeline } from './timeline.ts'

/** The buttons for what the console can do. The game server does the rest. */
const buttons: Readonly<
  Record<(typeof transactionActs)[number], { readonly label: string; readonly button?: string }>
> = {
  pay: { label: 'Pay', button: 'first' },
  cancel: { label: 'Cancel' },
  expire: { label: 'Expire' },
  dispute: { label: 'Open dispute' },
  'reject-dispute': { label: 'Reject dispute', button: 'first' },
  refund: { label: 'Refund' },
}

/** A transaction: what happened to it, and what can be done. */
export function transactionPage(parts: ConsoleParts, { id }: PageRequest): ConsolePage {
  const { platform, clock, t } = parts
  const { transactions } = platform.tables
  const transaction = transactions.byId(positiveInteger(id) ?? 0)
  if (!transaction) return notFoundPage(t, `Transaction ${id}`, '/console/transactions')
  const listing = listingOf(platform, transaction)
  const phase = phaseOfRow(transaction)
  const history = transactions.historyOf(transaction.id)
  const exchange = exchangeWith(parts, transaction)
  return detailPage(
    t,
    '/console/transactions',
    `Transaction ${id}`,
    html`${listing.itemName} <span class="soft">no. ${id}</span>`,
    html`${statusBadges(transaction)}<strong>${transactionPhases[phase].outcome}</strong>`,
    html`${actBar(transaction.id, phase)}
      <div class="split aside">
        <div class="stack">
          ${card(
            'state',
            'State',
            html`${machinePicture(transactionMachine, { current: phase, way: stepsOf(history) })}
              <details><summary>Its listing’s states</summary>${machinePicture(listingMachine, { current: listing.status, way: [] })}</details>`,
          )}
          ${card('happened', 'What happened', timeline(parts, transaction, history))}
        </div>
        <div class="stack">
          ${card('next', 'Next', expectedList(t, exchange, clock.nowMs()))}
          ${card('acknowledged', 'Acknowledged by the game server', acknowledgedList(t, exchange))}
          ${card('facts', 'Facts', facts(parts, transaction, listing))}
        </div>
      </div>`,
  )
}

function actBar(id: number, phase: TransactionPhase): Html {
  const possible = transactionActs.filter((act) => transactionMoves[phase][act])
  const byOthers = Object.entries(transactionMoves[phase])
    .filter(([trigger, to]) => to !== phase && !transactionActs.some((act) => act === trigger))
    .map(([trigger]) => html`<code>${trigger}</code> `)
  return html`<div class="row">
    ${possible.map((act) => actForm({ method: 'POST', path: `/stub/transactions/${id}/${act}`, ...buttons[act] }))}
    ${possible.length === 0 ? html`<p class="soft">Nothing more can be done here.</p>` : ''}
    ${byOthers.length > 0 ? html`<p class="soft">By game server or time: ${byOthers}</p>` : ''}
  </div>`
}

function facts(
  { t, clock, directory, platform }: ConsoleParts,
  transaction: TransactionRow,
  listing: ListingRow,
): Html {
  const { quantity, unitAmountCents, gameServerId, failureReason } = transaction
  const times = (['createdAt', 'expiresAt', 'paidAt', 'deliveredAt', 'completedAt', 'retryAt'] as const).map(
    (name) => [name, transaction[name] && stampOf(transaction[name], t.lang)] as const,
  )
  return html`${pairs({
    Total: html`<strong>${inReais(quantity * unitAmountCents, t.lang)}</strong>`,
    Quantity: `${quantity} × ${inReais(unitAmountCents, t.lang)}`,
    Item: html`${listing.itemName}<code class="sub">${listing.itemRef}</code>`,
    Attributes: html`<span class="wrap">${listing.attributes}</span>`,
    Buyer: transaction.buyerCharacterRef,
    Seller: listing.sellerCharacterRef,
    'Game server': html`<a href="/console/game-servers/${gameServerId}">${directory.byId(gameServerId)?.name}</a>`,
    Checkout: html`<a href="/checkout/${transaction.checkoutToken}">buyer’s page</a>`,
    Phase: phaseName(phaseOfRow(transaction)),
    failureReason: failureReason && html`<code>${failureReason}</code>`,
    ...Object.fromEntries(times),
  })}
  <h3>Stock of its listing</h3>
  ${estimateInWords(listing, clock.nowMs(), platform.settings.observationFreshnessMs)}`
}
