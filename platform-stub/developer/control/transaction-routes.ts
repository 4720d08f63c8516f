import { Hono } from 'hono'
import * as z from 'zod/mini'
import { purchase, transactionPhases } from '../../../contract/transaction.ts'
import { withIsoTimes } from '../../clock/iso.ts'
import type { StubEnv } from '../../http/framework.ts'
import { positiveInteger } from '../../http/positive-integer.ts'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import { listingRecord } from '../../marketplace/listings/listings.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { orThrow, refuse } from '../../marketplace/refusal.ts'
import { type TransactionAct, transactionActNames, transactionActs } from '../../marketplace/transactions/acts.ts'
import { listingOf } from '../../marketplace/transactions/apply.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import { createTransaction, moveByHand } from '../../marketplace/transactions/purchase.ts'
import { transactionRecord } from '../../marketplace/transactions/record.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import type { TransactionRow } from '../../store/transaction-rows.ts'
import { standIn } from '../stand-in.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf, limitIn, limitOf, noFields, noQuery, queryOf } from './control-request.ts'

/** Transactions with their history, and what buyer, staff or a stand-in for the game server do to them. */
export function transactionRoutes(parts: ControlParts): Hono<StubEnv> {
  const { platform } = parts
  const callAsGameServer = standIn(parts)
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
    .get('/:id', (context) => {
      noQuery(context)
      return context.json({ data: transactionStory(platform, transactionOf(context.req.param('id'))) })
    })
    .post('/:id/:act', async (context) => {
      const { id, act: asked } = context.req.param()
      const name = transactionActNames.find((known) => known === asked)
      if (!name) throw refuse('ROUTE_UNKNOWN')
      const act: TransactionAct = transactionActs[name]
      const input = await bodyOf(context, act.by === 'game-server' ? act.body : noFields)
      const { id: transactionId, gameServerId } = transactionOf(id)
      if (act.by === 'game-server') await callAsGameServer(gameServerId, act.calls, { transactionId, ...input })
      else orThrow(platform.transact(() => moveByHand(platform, transactionId, act.trigger)))
      return context.json({ data: transactionStory(platform, transactionOf(id)) })
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

const boughtNow = z.strictObject(z.omit(purchase, { itemRef: true }).shape)

/** Listings with their estimate and what it is made of, and buying from one as its buyer would in the game. */
export function listingRoutes({ platform }: ControlParts): Hono<StubEnv> {
  const { listings, transactions } = platform.tables
  return new Hono<StubEnv>()
    .get('/', (context) => {
      const query = queryOf(context, ['limit', 'itemRef'])
      const [count, itemRef] = [limitIn(query), query.get('itemRef')]
      const rows = itemRef === undefined ? listings.newest(count) : listings.newestOf(itemRef, count)
      return context.json({ data: rows.map((row) => listingStory(platform, row)) })
    })
    .post('/:id/buy', async (context) => {
      const listing = listings.byId(positiveInteger(context.req.param('id')) ?? 0)
      if (!listing) throw refuse('LISTING_ID_UNKNOWN')
      const { gameServerId, itemRef } = listing
      const asked = { itemRef, ...(await bodyOf(context, boughtNow)) }
      const { transactionId } = orThrow(platform.transact(() => createTransaction(platform, gameServerId, asked)))
      const bought = transactions.byId(transactionId)
      if (!bought) throw refuse('TRANSACTION_UNKNOWN')
      return context.json({ data: transactionStory(platform, bought) })
    })
}

function listingStory({ clock, settings }: Platform, listing: ListingRow) {
  return {
    ...listingRecord(listing),
    gameServerId: listing.gameServerId,
    sellerCharacterRef: listing.sellerCharacterRef,
    estimate: estimateStock(listing, clock.nowMs(), settings.observationFreshnessMs),
  }
}
