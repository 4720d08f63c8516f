import { Hono } from 'hono'
import { type TransactionTrigger, transactionPhases } from '../../../contract/transaction.ts'
import { withIsoTimes } from '../../clock/iso.ts'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import { listingRecord } from '../../marketplace/listings/listings.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import { listingOf } from '../../marketplace/transactions/apply.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import { moveByHand } from '../../marketplace/transactions/purchase.ts'
import { transactionRecord } from '../../marketplace/transactions/record.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import type { ControlParts, StubEnv } from './control-parts.ts'
import { bodyOf, limitOf, noFields, positiveInteger } from './control-request.ts'

/** What the buyer, time or the staff would do: the last segment of the path. `pay` does the checkout's check as well. */
export const transactionActs = [
  'pay',
  'cancel',
  'expire',
  'dispute',
  'reject-dispute',
  'refund',
] as const satisfies readonly TransactionTrigger[]

/** Transactions with their history, and what the buyer or the staff do to them. */
export function transactionRoutes({ platform }: ControlParts): Hono<StubEnv> {
  const { transactions } = platform.tables
  const transactionOf = (id: string): TransactionRow => {
    const transaction = transactions.byId(positiveInteger(id) ?? 0)
    if (!transaction) throw refuse('TRANSACTION_UNKNOWN')
    return transaction
  }
  return new Hono<StubEnv>()
    .get('/', (context) =>
      context.json({ data: transactions.newest(limitOf(context)).map((row) => transactionStory(platform, row)) }),
    )
    .get('/:id', (context) =>
      context.json({ data: transactionStory(platform, transactionOf(context.req.param('id'))) }),
    )
    .post('/:id/:act', async (context) => {
      await bodyOf(context, noFields)
      const { id, act } = context.req.param()
      const trigger = transactionActs.find((name) => name === act)
      if (!trigger) throw refuse('ROUTE_UNKNOWN')
      const moved = orThrow(platform.transact(() => moveByHand(platform, positiveInteger(id) ?? 0, trigger)))
      return context.json({ data: transactionStory(platform, moved) })
    })
}

/** The partner's record and everything behind it. */
function transactionStory(platform: Platform, transaction: TransactionRow) {
  const { transactions } = platform.tables
  const phase = phaseOfRow(transaction)
  return {
    ...transactionRecord(platform, transaction, listingOf(platform, transaction)),
    gameServerId: transaction.gameServerId,
    listingId: transaction.listingId,
    phase,
    outcome: transactionPhases[phase].outcome,
    history: transactions.historyOf(transaction.id).map(withIsoTimes),
    money: transactions.moneyOf(transaction.id).map(withIsoTimes),
  }
}

/** Listings with their estimate and what it is made of. */
export function listingRoutes({ platform }: ControlParts): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/', (context) =>
    context.json({ data: platform.tables.listings.newest(limitOf(context)).map((row) => listingStory(platform, row)) }),
  )
}

function listingStory({ clock, settings }: Platform, listing: ListingRow) {
  return {
    ...listingRecord(listing),
    gameServerId: listing.gameServerId,
    sellerCharacterRef: listing.sellerCharacterRef,
    estimate: estimateStock(listing, clock.nowMs(), settings.observationFreshnessMs),
  }
}
