import { html } from 'hono/html'
import { transactionMoves } from '../../../contract/transaction.ts'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import { pathOfAct } from '../../marketplace/transactions/acts.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { Html } from '../document.ts'
import { card } from '../parts.ts'
import { actForm, field } from './acts.ts'
import type { ConsoleParts } from './console-parts.ts'

/** What a stand-in for the game server can do with a transaction that waits for it; nothing in any other phase. */
export function standInActs(parts: ConsoleParts, transaction: TransactionRow, listing: ListingRow): Html | string {
  const { t, platform } = parts
  if (!transactionMoves[phaseOfRow(transaction)]['fail-temporary']) return ''
  const texts = t.standIn
  const hasKey = platform.tables.gameServers.keyOf(transaction.gameServerId)?.privateKeyPem != null
  const content = hasKey
    ? html`<p class="soft">${texts.about}</p>${actsOf(parts, transaction, listing)}`
    : html`<p class="soft">${texts.noKey}</p>`
  return card('stand-in', texts.title, html`<div class="stack">${content}</div>`)
}

function actsOf({ t, platform, clock }: ConsoleParts, { id }: TransactionRow, listing: ListingRow): Html {
  const texts = t.standIn
  const method = 'POST'
  const { available } = estimateStock(listing, clock.nowMs(), platform.settings.observationFreshnessMs)
  const fail = (reason: string, label: string, observed: number) =>
    actForm({
      method,
      path: pathOfAct(id, 'fail'),
      label,
      className: 'joined',
      body: { reason },
      fields: field(
        'observedQuantity',
        html`name="observedQuantity" type="number" min="0" required value="${observed}"`,
      ),
    })
  return html`<div class="row">${actForm({ method, path: pathOfAct(id, 'deliver'), label: texts.deliver, button: 'first' })}</div>
    ${fail('OUT_OF_STOCK', texts.outOfStock, 0)}
    ${fail('TEMPORARY', texts.temporary, available)}`
}

/** Buys from a listing, as a buyer would in the game. */
export function buyForm({ t }: ConsoleParts, { id, status }: ListingRow): Html | string {
  if (status !== 'ACTIVE') return ''
  const form = actForm({
    method: 'POST',
    path: `/stub/listings/${id}/buy`,
    label: t.standIn.buy,
    className: 'stack',
    goesTo: '/console/transactions/{transactionId}',
    fields: html`
      ${field(t.transaction.quantity, html`name="quantity" type="number" min="1" required value="1"`)}
      ${field(t.transaction.buyer, html`name="buyerCharacterRef" required maxlength="255" value="char-2"`)}`,
  })
  return html`<details><summary>${t.standIn.buyOne}</summary>${form}</details>`
}
