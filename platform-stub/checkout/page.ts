import { Hono } from 'hono'
import { html } from 'hono/html'
import { isForeignPage } from '../control/guard.ts'
import type { StubEnv } from '../control/request.ts'
import { checkoutTexts as texts } from '../messages.ts'
import { pageResponse } from '../page.ts'
import type { Platform } from '../platform.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { TransactionRow } from '../store/transactions.ts'
import { listingOf, moveTransaction } from '../transactions/apply.ts'
import { phaseOfRow } from '../transactions/moves.ts'
import { payTransaction } from '../transactions/purchase.ts'

/** What the buyer can do on the page, by the last segment of the form's address. */
const acts = {
  pay: payTransaction,
  cancel: (platform: Platform, transaction: TransactionRow) =>
    moveTransaction(platform, transaction, { trigger: 'cancel', at: platform.clock.nowMs() }),
}

/** The buyer's page: what is promised, what it costs, pay and cancel. Whoever has the token is the buyer. */
export function checkoutRoutes(platform: Platform): Hono<StubEnv> {
  const { transactions } = platform.tables
  return new Hono<StubEnv>()
    .get('/:token', (context) => {
      const transaction = transactions.byToken(context.req.param('token'))
      if (!transaction) return pageResponse(context, 404, texts.title, html`<p>${texts.unknown}</p>`)
      return pageResponse(context, 200, texts.title, purchaseOf(platform, transaction))
    })
    .post('/:token/:act', async (context) => {
      if (isForeignPage(context.env.incoming, platform.publicUrl())) throw refuse('CONTROL_FOREIGN_ORIGIN')
      const { token, act } = context.req.param()
      const transaction = transactions.byToken(token)
      if (!transaction || !Object.hasOwn(acts, act)) {
        return pageResponse(context, 404, texts.title, html`<p>${texts.unknown}</p>`)
      }
      try {
        await platform.transact(() => {
          const current = transactions.byToken(token) ?? transaction
          return acts[act as keyof typeof acts](platform, current)
        })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const notice = html`<p role="alert">${error.message}</p>`
        return pageResponse(context, error.status, texts.title, html`${notice}${purchaseOf(platform, transaction)}`)
      }
      return context.redirect(`/checkout/${token}`, 303)
    })
}

const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' })
const moment = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' })

function purchaseOf(platform: Platform, { checkoutToken }: TransactionRow) {
  const transaction = platform.tables.transactions.byToken(checkoutToken)
  if (!transaction) return html`<p>${texts.unknown}</p>`
  const listing = listingOf(platform, transaction)
  const { quantity, unitAmountCents } = transaction
  const phase = phaseOfRow(transaction)
  return html`
    <p role="status">${texts.outcomes[phase]}</p>
    <dl>
      <dt>${texts.item}</dt><dd>${listing.itemName}</dd>
      <dt>${texts.attributes}</dt><dd>${listing.attributes}</dd>
      <dt>${texts.quantity}</dt><dd>${quantity}</dd>
      <dt>${texts.unitPrice}</dt><dd>${reais.format(unitAmountCents / 100)}</dd>
      <dt>${texts.total}</dt><dd>${reais.format((quantity * unitAmountCents) / 100)}</dd>
      ${phase === 'awaiting-payment' && html`<dt>${texts.payBy}</dt><dd>${moment.format(transaction.expiresAt)} UTC</dd>`}
    </dl>
    ${phase === 'awaiting-payment' && formsOf(checkoutToken)}
  `
}

function formsOf(token: string) {
  return html`
    <form method="post" action="/checkout/${token}/pay"><button>${texts.pay}</button></form>
    <form method="post" action="/checkout/${token}/cancel"><button>${texts.cancel}</button></form>
  `
}
