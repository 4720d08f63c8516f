import type { Mutant } from './mutant.ts'

const transactions = 'platform-stub/marketplace/transactions'
const outcome = 'platform-stub/webhooks/outcome.ts'

/** Faults of the platform. */
export const platformMutants: readonly Mutant[] = [
  {
    name: 'what is paid does not count as sold',
    file: `${transactions}/moves.ts`,
    from: "      { kind: 'sold', quantity: transaction.quantity },\n",
    to: '',
  },
  {
    name: 'a refund moves no money',
    file: `${transactions}/moves.ts`,
    from: "      { kind: 'money', move: 'refund' },\n",
    to: '',
  },
  {
    name: 'an order is not sent again after TEMPORARY',
    file: `${transactions}/moves.ts`,
    from: "effects: [{ kind: 'order', at: retryAt }]",
    to: 'effects: []',
  },
  {
    name: 'TEMPORARY counts again before its retryAt',
    file: `${transactions}/moves.ts`,
    from: "if (trigger === 'fail-temporary') return transaction.retryAt !== null && at < transaction.retryAt",
    to: "if (trigger === 'fail-temporary') return false",
  },
  {
    name: 'an item whose dispute was rejected is never completed',
    file: `${transactions}/moves.ts`,
    from: 'deliveredAt === null\n      ? {}',
    to: 'deliveredAt === null || at > 0\n      ? {}',
  },
  {
    name: 'an order is sent after the end of its transaction',
    file: `${transactions}/apply.ts`,
    from: "case 'terminal':\n      webhooks.endOrders(id, at)",
    to: "case 'terminal':",
  },
  {
    name: 'a webhook without an answer is not sent again',
    file: outcome,
    from: 'isAcknowledged || !goesOn(platform, delivery) ? null',
    to: 'isAcknowledged || !goesOn(platform, delivery) || attempt.number > 0 ? null',
  },
  {
    name: 'a webhook without an answer is sent again at once',
    file: outcome,
    from: 'now + backoffMs(attempt.number)',
    to: 'now + 0 * backoffMs(attempt.number)',
  },
  {
    name: 'an envelope is accepted twice',
    file: 'platform-stub/partner-api/answer.ts',
    from: 'if (!isNew && !mayRepeat) return replayed',
    to: 'if (!isNew && !mayRepeat && kid === "") return replayed',
  },
  {
    name: 'an order that was replaced is sent on',
    file: outcome,
    from: "  if (delivery.state !== 'pending') return false\n",
    to: '',
  },
  {
    name: 'the stock of a repeated TEMPORARY does not count',
    file: `${transactions}/delivery.ts`,
    from: "moved === transaction && reason === 'OUT_OF_STOCK'",
    to: 'moved === transaction',
  },
  {
    name: 'a dispute ends an order that waits to be sent',
    file: `${transactions}/moves.ts`,
    from: "dispute: () => ({ effects: [{ kind: 'not-due', trigger: 'complete' }] }),",
    to: "dispute: () => ({ effects: [{ kind: 'no-order' }, { kind: 'not-due', trigger: 'complete' }] }),",
  },
  {
    name: 'a payment is taken although the item is sold out',
    file: `${transactions}/purchase.ts`,
    from: '    if (refusal) return refusal\n  }',
    to: "    if (refusal?.code === 'LISTING_WITHDRAWN') return refusal\n  }",
  },
  {
    name: 'an old observation counts for ever',
    file: 'platform-stub/marketplace/listings/estimate.ts',
    from: 'stock.observedAt !== null && nowMs - stock.observedAt <= freshnessMs',
    to: 'stock.observedAt !== null && nowMs - stock.observedAt <= freshnessMs * 100',
  },
  {
    name: 'a stock in an answer counts although a newer one was reported',
    file: outcome,
    from: 'if (quantity === undefined || listing?.stockReports !== stockReportsBefore) return',
    to: 'if (quantity === undefined || !listing) return',
  },
  {
    name: 'a rejected dispute takes the delivery back',
    file: 'contract/transaction.ts',
    from: "if (next === 'where-it-was') return transaction.deliveredAt ? 'delivered' : 'awaiting-server'",
    to: "if (next === 'where-it-was') return 'awaiting-server'",
  },
  {
    name: 'an envelope is accepted after its end',
    file: 'platform-stub/partner-api/authenticate.ts',
    from: 'leewayS: 0',
    to: 'leewayS: 60',
  },
  {
    name: 'the terminal event of a refund after a dispute names no reason',
    file: `${transactions}/moves.ts`,
    from: "  'refunded-after-dispute': 'DISPUTE',\n",
    to: '',
  },
  {
    name: 'an observation keeps the age of the first one',
    file: 'platform-stub/store/listing-rows.ts',
    from: 'observedAt = ?2',
    to: 'observedAt = coalesce(observedAt, ?2)',
  },
  {
    name: 'a purchase has its total as the price of one unit',
    file: 'platform-stub/marketplace/transactions/purchase.ts',
    from: 'unitAmountCents: listing.unitAmountCents,',
    to: 'unitAmountCents: listing.unitAmountCents * quantity,',
  },
  {
    name: 'the stock in the answer to an order counts as a report, so that the answer to the next order of the item does not count',
    file: 'platform-stub/webhooks/outcome.ts',
    from: "tables.listings.observe(listing.id, quantity, clock.nowMs(), 'reply')",
    to: "tables.listings.observe(listing.id, quantity, clock.nowMs(), 'report')",
  },
  {
    name: 'the stock in the answer to an order is as old as the order',
    file: 'platform-stub/webhooks/outcome.ts',
    from: `  { tables, clock }: Platform,
  { transactionId }: WebhookDeliveryRow,
  body: string,
  stockReportsBefore: number,
): void {
  const reading = readStrictJson(body)
  const quantity = reading.ok ? observedQuantityOf(reading.object.value) : undefined
  const listing = tables.listings.ofTransaction(transactionId)
  if (quantity === undefined || listing?.stockReports !== stockReportsBefore) return
  tables.listings.observe(listing.id, quantity, clock.nowMs(), 'reply')`,
    to: `  { tables }: Platform,
  { transactionId, createdAt }: WebhookDeliveryRow,
  body: string,
  stockReportsBefore: number,
): void {
  const reading = readStrictJson(body)
  const quantity = reading.ok ? observedQuantityOf(reading.object.value) : undefined
  const listing = tables.listings.ofTransaction(transactionId)
  if (quantity === undefined || listing?.stockReports !== stockReportsBefore) return
  tables.listings.observe(listing.id, quantity, createdAt, 'reply')`,
  },
  {
    name: 'a report of TEMPORARY is answered with the retryAt of the failure before it',
    file: 'platform-stub/marketplace/transactions/delivery.ts',
    from: 'retryAt: isoOrNull(moved.retryAt),',
    to: 'retryAt: isoOrNull(transaction.retryAt),',
  },
  {
    name: 'each wait of the platform after a failure is twice as long',
    file: 'platform-stub/marketplace/transactions/moves.ts',
    from: '2 ** (failures - 1)',
    to: '2 ** failures',
  },
  {
    name: 'a receiver that hangs takes the slots of all others',
    file: 'platform-stub/webhooks/dispatcher.ts',
    from: 'webhookInFlightPerReceiverMax - own.length',
    to: 'webhookInFlightPerReceiverMax - (own, underWay.size)',
  },
  {
    name: 'an order that is put off a second time does not come again',
    file: 'platform-stub/marketplace/transactions/moves.ts',
    from: 'return transaction.retryAt !== null && at < transaction.retryAt',
    to: 'return transaction.retryAt !== null',
  },
]
