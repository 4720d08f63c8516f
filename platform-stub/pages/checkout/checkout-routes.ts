import { Hono } from 'hono'
import type { StubEnv } from '../../http/framework.ts'
import { checkoutTexts as texts } from '../../marketplace/messages.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { Refusal, refuse } from '../../marketplace/refusal.ts'
import { moveTransaction } from '../../marketplace/transactions/apply.ts'
import { payTransaction } from '../../marketplace/transactions/purchase.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import { foreignForm, noticePage, type PlayerPageParts } from '../player-page.ts'
import { purchasePage } from './checkout-page.ts'
import { purchaseOf, versionOf } from './checkout-phase.ts'

/** What the buyer can do on the page, by the last segment of the form's address. */
const acts = {
  pay: payTransaction,
  cancel: (platform: Platform, transaction: TransactionRow) =>
    moveTransaction(platform, transaction, { trigger: 'cancel', at: platform.clock.nowMs() }),
}

/**
 * The buyer's page: what is promised, what it costs, pay and cancel. The token stands for the buyer.
 *
 * Every form is answered with a redirect, a refusal too: a page at a form's address is posted again when it is reloaded.
 */
export function checkoutRoutes(parts: PlayerPageParts): Hono<StubEnv> {
  const { platform, clock, changes } = parts
  const { transactions } = platform.tables
  return new Hono<StubEnv>()
    .get('/:token', (context) => purchasePage(context, parts, context.req.param('token'), context.req.query('refused')))
    .get('/:token/changes', (context) => {
      const { token } = context.req.param()
      if (!purchaseOf(platform, token)) throw refuse('ROUTE_UNKNOWN')
      return changes.stream(() => versionOf(purchaseOf(platform, token), clock.offsetMs))
    })
    .post('/:token/:act', (context) => {
      const refusal = foreignForm(context, parts, texts.title)
      if (refusal) return refusal
      const { token, act } = context.req.param()
      const page = `/checkout/${token}`
      const transaction = transactions.byToken(token)
      if (!transaction || !Object.hasOwn(acts, act)) {
        return noticePage(context, 404, parts, { heading: texts.title, ...texts.unknown })
      }
      const done = platform.transact(() => acts[act as keyof typeof acts](platform, transaction))
      return context.redirect(done instanceof Refusal ? `${page}?refused=${act}` : page, 303)
    })
}
