import type { TransactionRow } from '../../../../platform-stub/store/transaction-rows.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Fields, SentRequest } from '../sent-request.ts'
import { fieldsIn } from './fields-in.ts'
import type { Break } from './judge.ts'

/**
 * The platform answers a request that it accepts with what it has in its books, and lists an item as it was registered. An order
 * that is put off comes again after the report.
 *
 * @returns Called with each request that it has accepted, and with the body of its answer.
 */
export function platformAnswerPromises(
  onBroken: Break,
  platform: () => ModelPlatform,
): (request: SentRequest, answer: string) => void {
  return ({ operation, input }, answer) => {
    const { data = {} } = fieldsIn<{ readonly data: Fields }>(answer)
    const { transactionId } = data
    const row = platform().composed.platform.tables.transactions.byId(Number(transactionId))
    if (row) compare(`transaction ${transactionId}`, booksOf(row), data)
    if (operation === 'transaction.delivery-failure' && input['reason'] === 'TEMPORARY') checkPutOff(data)
    const listing = operation === 'market.register' ? platform().listingOf(String(input['itemRef'])) : undefined
    if (listing) {
      compare(`listing ${listing.itemRef}`, input, data)
      compare(`listing ${listing.itemRef}`, input, listing as unknown as Fields)
    }
  }

  function checkPutOff({ transactionId, retryAt }: Fields): void {
    const nowMs = platform().composed.clock.nowMs()
    if (retryAt !== undefined && !(Date.parse(String(retryAt)) > nowMs))
      onBroken('an order that is put off comes again, later', `${transactionId}: ${retryAt}`)
  }

  /** Fields that the answer lacks are not compared. */
  function compare(what: string, due: Fields, said: Fields): void {
    for (const [field, value] of Object.entries(due))
      if (field in said && said[field] !== value)
        onBroken('the platform answers with what it has', `${what}: ${field} is ${said[field]}, not ${value}`)
  }
}

/** As the interface shows it. */
function booksOf(row: TransactionRow): Fields {
  const { quantity, unitAmountCents, buyerCharacterRef, paymentStatus, deliveryStatus, failureReason } = row
  const shownTime = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString())
  return {
    ...{ quantity, unitAmountCents, buyerCharacterRef, deliveryStatus, failureReason },
    // The refund follows the answer in the same moment.
    ...(paymentStatus !== 'ESTORNADO' && { paymentStatus }),
    totalAmountCents: quantity * unitAmountCents,
    refundStarted: failureReason === 'OUT_OF_STOCK',
    expiresAt: shownTime(row.expiresAt),
    paidAt: shownTime(row.paidAt),
    deliveredAt: shownTime(row.deliveredAt),
    completedAt: shownTime(row.completedAt),
    retryAt: shownTime(row.retryAt),
  }
}
