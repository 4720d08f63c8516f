import type { Context } from 'hono'
import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import type { StubEnv } from '../../http/framework.ts'
import { checkoutTexts as texts } from '../../marketplace/messages.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import { countdown } from '../browser/moments.js'
import type { Html } from '../document.ts'
import { inReais, shortMoment } from '../formats.ts'
import { card, type IconName, notice, pairs } from '../parts.ts'
import { noticePage, type PlayerPageParts, playerPage } from '../player-page.ts'
import { type CheckoutState, type Purchase, purchaseOf, versionOf } from './checkout-phase.ts'
import { progressList } from './progress.ts'

/** The colour and the picture of each state. */
const looks: Readonly<Record<CheckoutState, readonly [tone: string, picture: IconName]>> = {
  'awaiting-payment': ['busy', 'clock'],
  'sold-out': ['bad', 'box'],
  withdrawn: ['bad', 'box'],
  'awaiting-server': ['busy', 'box'],
  delivered: ['good', 'check'],
  failed: ['wait', 'alert'],
  disputed: ['argued', 'scales'],
  completed: ['good', 'check'],
  'refunded-after-failure': ['wait', 'back'],
  'refunded-after-dispute': ['wait', 'back'],
  expired: ['calm', 'clock'],
  cancelled: ['calm', 'cross'],
}

/**
 * The page of a purchase in any state.
 *
 * @param refused The act that the buyer asked for and that was refused: `pay` or `cancel`.
 */
export function purchasePage(context: Context<StubEnv>, parts: PlayerPageParts, token: string, refused?: string) {
  const { platform, directory, clock } = parts
  const purchase = purchaseOf(platform, token)
  if (!purchase) return noticePage(context, 404, parts, { heading: texts.title, ...texts.unknown })
  const { transaction } = purchase
  const stream = `/checkout/${token}/changes`
  const gameServer = directory.byId(transaction.gameServerId)?.name ?? ''
  return playerPage(context, 200, parts, {
    title: texts.title,
    live: { stream, version: versionOf(purchase, clock.offsetMs) },
    content: html`
      ${refusedNotice(purchase, refused)}
      ${stateNotice(purchase)}
      <div class="purchase">
        ${orderCard(purchase, gameServer)}
        ${purchase.state === 'awaiting-payment' ? paymentCard(purchase) : progressCard(platform, purchase)}
      </div>`,
  })
}

/** Depends on the current state only: a second payment is refused because the first one succeeded. */
function refusedNotice({ transaction, state }: Purchase, refused: string | undefined): Html | string {
  const isPaid = transaction.paidAt !== null
  const isOpen = state === 'awaiting-payment'
  if (refused === 'pay' && !isPaid) return notice('bad', 'alert', texts.notPaid(isOpen), 'alert')
  if (refused === 'cancel' && (isPaid || isOpen)) return notice('bad', 'alert', texts.notCancelled(isPaid), 'alert')
  return ''
}

function stateNotice({ state, available }: Purchase): Html {
  const [tone, picture] = looks[state]
  return notice(tone, picture, state === 'sold-out' ? texts.soldOut(available) : texts.states[state], 'status')
}

function orderCard({ transaction, listing }: Purchase, gameServer: string): Html {
  const { quantity, unitAmountCents, buyerCharacterRef } = transaction
  const { itemName, attributes, sellerCharacterRef } = listing
  return html`<section class="card order" aria-labelledby="item">
    <p class="soft">${texts.item}</p>
    <h2 id="item">${itemName}</h2>
    <figure>
      <figcaption>${texts.attributes}</figcaption>
      <blockquote>${attributes}</blockquote>
    </figure>
    ${pairs({ [texts.quantity]: quantity, [texts.unitPrice]: inReais(unitAmountCents, 'pt-BR'), [texts.total]: inReais(quantity * unitAmountCents, 'pt-BR') })}
    ${pairs({ [texts.buyer]: buyerCharacterRef, [texts.seller]: sellerCharacterRef, [texts.gameServer]: gameServer })}
  </section>`
}

function paymentCard({ transaction, nowMs }: Purchase): Html {
  const { checkoutToken, createdAt, expiresAt, quantity, unitAmountCents } = transaction
  const amountCents = quantity * unitAmountCents
  const leftMs = Math.max(0, expiresAt - nowMs)
  return html`<section class="card stack" aria-labelledby="payment">
    <div class="row left">
      <p id="time-left">${texts.timeLeft}</p>
      <time role="timer" aria-labelledby="time-left" datetime="${iso(expiresAt)}" data-shows="left">${countdown(leftMs)}</time>
      <progress max="${expiresAt - createdAt}" value="${leftMs}" data-until="${iso(expiresAt)}" aria-labelledby="time-left"></progress>
      <p class="soft">${texts.payBy} ${shortMoment(expiresAt)} (${texts.timeZone})</p>
      <noscript><a href="/checkout/${checkoutToken}">${texts.refresh}</a></noscript>
    </div>
    <h2 id="payment">${texts.payment}</h2>
    <p class="soft">${texts.isSimulated}</p>
    <form method="post" action="/checkout/${checkoutToken}/pay"><button class="button first wide">${texts.pay(inReais(amountCents, 'pt-BR'))}</button></form>
    ${cancelForm(checkoutToken)}
  </section>`
}

function progressCard({ tables }: Platform, { transaction, state }: Purchase): Html {
  const isUnpaid = state === 'sold-out' || state === 'withdrawn'
  const steps = progressList(tables.transactions.historyOf(transaction.id), phaseOfRow(transaction))
  const cancel = isUnpaid ? cancelForm(transaction.checkoutToken) : ''
  return card('progress', texts.progress, html`${steps}${cancel}`, 'stack progress')
}

function cancelForm(token: string): Html {
  return html`<form method="post" action="/checkout/${token}/cancel"><button class="button plain wide">${texts.cancel}</button></form>`
}
