import { html } from 'hono/html'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { iso } from '../../clock/iso.ts'
import { positiveInteger } from '../../developer/control/control-request.ts'
import { transactionActs } from '../../developer/control/transaction-routes.ts'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import { listingOf } from '../../marketplace/transactions/apply.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { inReais } from '../money.ts'
import { actForm } from './acts.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { estimateInWords } from './estimate-in-words.ts'
import { acknowledgedList, exchangeWith, expectedList } from './exchange-view.ts'
import { listingMachine, transactionMachine } from './machine.ts'
import { machinePicture } from './machine-picture.ts'
import { stampOf } from './moments.ts'
import { notFoundPage } from './not-found-page.ts'
import { phaseName, statusBadge, wayOf } from './phase-view.ts'
import { timeline } from './timeline.ts'

/** The buttons for what the console can do. The game server does the rest. */
const buttons: Readonly<Record<(typeof transactionActs)[number], { readonly label: string; readonly look?: string }>> =
  {
    pay: { label: 'Pay', look: 'first' },
    cancel: { label: 'Cancel' },
    expire: { label: 'Expire' },
    dispute: { label: 'Open dispute' },
    'reject-dispute': { label: 'Reject dispute', look: 'first' },
    refund: { label: 'Refund' },
  }

/** A transaction: what happened to it, and what can be done. */
export function transactionPage(context: ConsoleContext, parts: ConsoleParts) {
  const { platform } = parts
  const menuPath = '/console/transactions'
  const asked = context.req.param('id') ?? ''
  const transaction = platform.tables.transactions.byId(positiveInteger(asked) ?? 0)
  if (!transaction) return notFoundPage(context, parts, `Transaction ${asked}`, menuPath)
  const { id, paymentStatus, deliveryStatus } = transaction
  const listing = listingOf(platform, transaction)
  const phase = phaseOfRow(transaction)
  const { outcome } = transactionPhases[phase]
  const history = platform.tables.transactions.historyOf(id)
  return consolePage(context, parts, {
    title: `Transaction ${id}`,
    menuPath,
    content: html`
      <p class="crumb"><a href="${menuPath}">Transactions</a></p>
      <div class="headline">
        <h1>${listing.itemName} <span class="soft">no. ${id}</span></h1>
        <p class="badges">${statusBadge(paymentStatus)}${statusBadge(deliveryStatus)}${outcome ? html`<span class="strong">${outcome}</span>` : ''}</p>
      </div>
      ${actBar(id, phase)}
      <div class="split">
        <div class="stack">
          <section class="card pad" aria-labelledby="state">
            <h2 id="state">State</h2>
            ${machinePicture(transactionMachine, { current: phase, way: wayOf(history) })}
            <details><summary>Its listing’s states</summary>${machinePicture(listingMachine, { current: listing.status, way: [] })}</details>
          </section>
          <section class="card pad" aria-labelledby="happened">
            <h2 id="happened">What happened</h2>
            ${timeline(parts, transaction, history)}
          </section>
        </div>
        <div class="stack">
          ${exchangeCards(parts, transaction)}
          ${factsCard(parts, transaction, listing)}
        </div>
      </div>`,
  })
}

function actBar(id: number, phase: TransactionPhase): Html {
  const possible = transactionActs.filter((act) => transactionMoves[phase][act])
  const byOthers = Object.entries(transactionMoves[phase])
    .filter(([trigger, to]) => to !== phase && !transactionActs.some((act) => act === trigger))
    .map(([trigger]) => trigger)
  return html`<div class="row">
    ${possible.map((act) => actForm({ method: 'POST', path: `/stub/transactions/${id}/${act}`, label: buttons[act].label, button: buttons[act].look ?? '' }))}
    ${possible.length === 0 ? html`<p class="soft">Nothing more can be done here.</p>` : ''}
    ${byOthers.length > 0 ? html`<p class="soft">By game server or time: ${byOthers.map((trigger) => html`<code>${trigger}</code> `)}</p>` : ''}
  </div>`
}

function exchangeCards(parts: ConsoleParts, transaction: TransactionRow): Html {
  const exchange = exchangeWith(parts, transaction)
  return html`<section class="card pad" aria-labelledby="next">
      <h2 id="next">Next</h2>
      ${expectedList(exchange, parts.clock.nowMs())}
    </section>
    <section class="card pad" aria-labelledby="acknowledged">
      <h2 id="acknowledged">Acknowledged by the game server</h2>
      ${acknowledgedList(exchange)}
    </section>`
}

function factsCard(
  { clock, directory, platform }: ConsoleParts,
  transaction: TransactionRow,
  listing: ListingRow,
): Html {
  const { quantity, unitAmountCents, buyerCharacterRef, gameServerId, checkoutToken } = transaction
  const times = (['createdAt', 'expiresAt', 'paidAt', 'deliveredAt', 'completedAt', 'retryAt'] as const).flatMap(
    (name) => {
      const atMs = transaction[name]
      return atMs === null ? [] : [[name, atMs] as const]
    },
  )
  const { observationFreshnessMs } = platform.settings
  const estimate = estimateStock(listing, clock.nowMs(), observationFreshnessMs)
  return html`<section class="card pad" aria-labelledby="facts">
    <h2 id="facts">Facts</h2>
    <dl class="pairs">
      <div><dt>Total</dt><dd class="strong">${inReais(quantity * unitAmountCents)}</dd></div>
      <div><dt>Quantity</dt><dd>${quantity} × ${inReais(unitAmountCents)}</dd></div>
      <div><dt>Item</dt><dd>${listing.itemName}<code class="sub">${listing.itemRef}</code></dd></div>
      <div><dt>Attributes</dt><dd class="wrap">${listing.attributes}</dd></div>
      <div><dt>Buyer</dt><dd>${buyerCharacterRef}</dd></div>
      <div><dt>Seller</dt><dd>${listing.sellerCharacterRef}</dd></div>
      <div><dt>Game server</dt><dd><a href="/console/game-servers/${gameServerId}">${directory.byId(gameServerId)?.name}</a></dd></div>
      <div><dt>Checkout</dt><dd><a href="/checkout/${checkoutToken}">buyer’s page</a></dd></div>
      <div><dt>Phase</dt><dd>${phaseName(phaseOfRow(transaction))}</dd></div>
      ${transaction.failureReason ? html`<div><dt>failureReason</dt><dd><code>${transaction.failureReason}</code></dd></div>` : ''}
      ${times.map(([name, atMs]) => html`<div><dt>${name}</dt><dd title="${iso(atMs)}">${stampOf(atMs)}</dd></div>`)}
    </dl>
    <h3>Stock of its listing</h3>
    ${estimateInWords(listing, estimate, clock.nowMs(), observationFreshnessMs)}
  </section>`
}
