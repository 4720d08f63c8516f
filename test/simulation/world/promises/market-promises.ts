import { limits } from '../../../../contract/limits.ts'
import { type TransactionPhase, transactionPhases } from '../../../../contract/transaction.ts'
import { phaseOfRow } from '../../../../platform-stub/marketplace/transactions/moves.ts'
import type { TransactionRow } from '../../../../platform-stub/store/transaction-rows.ts'
import type { WebhookDeliveryRow } from '../../../../platform-stub/store/webhook-rows.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Break } from './judge.ts'

interface MarketPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
}

const refunded: ReadonlySet<TransactionPhase> = new Set(['refunded-after-failure', 'refunded-after-dispute'])
/** More than any transaction or delivery of a run has. */
const all = 1_000

/** What the platform itself promises about money, stock and webhooks: checked on its books when everything has ended. */
export class MarketPromises {
  readonly #parts: MarketPromisesParts

  constructor(parts: MarketPromisesParts) {
    this.#parts = parts
  }

  /** Every transaction has come to its end. */
  check(): void {
    const { transactions } = this.#tables
    const soldOf = new Map<number, number>()
    for (let id = 1; ; id++) {
      const transaction = transactions.byId(id)
      if (!transaction) break
      this.#checkMoney(transaction)
      this.#checkPutOffs(id)
      this.#checkWebhooks(transaction)
      const { listingId, quantity } = transaction
      const sold = transaction.paidAt === null || refunded.has(phaseOfRow(transaction)) ? 0 : quantity
      soldOf.set(listingId, (soldOf.get(listingId) ?? 0) + sold)
    }
    for (const [listingId, sold] of soldOf) this.#checkSold(listingId, sold)
  }

  get #tables() {
    return this.#parts.platform.composed.platform.tables
  }

  #checkMoney(transaction: TransactionRow): void {
    const { id, quantity, unitAmountCents, paidAt } = transaction
    const amount = quantity * unitAmountCents
    const due = [
      ...(paidAt === null ? [] : [`payment ${amount}`]),
      ...(refunded.has(phaseOfRow(transaction)) ? [`refund ${amount}`] : []),
    ]
    const moved = this.#tables.transactions.moneyOf(id).map(({ kind, amountCents }) => `${kind} ${amountCents}`)
    if (moved.join() !== due.join())
      this.#parts.break('a buyer pays once, and gets back all of it or nothing', `${id}: ${moved} in place of ${due}`)
  }

  #checkPutOffs(transactionId: number): void {
    let retryAt = 0
    for (const { trigger, at } of this.#tables.transactions.historyOf(transactionId)) {
      if (trigger !== 'fail-temporary') continue
      if (at < retryAt) this.#parts.break('TEMPORARY counts once before the order is sent again', String(transactionId))
      retryAt = at + limits.webhookRetryDelayMsFirst
    }
  }

  /** One order for the payment and for each `TEMPORARY`, and one end. None is sent before its time, and no order after the end. */
  #checkWebhooks(transaction: TransactionRow): void {
    const { id, paidAt, failureCount } = transaction
    const deliveries = this.#tables.webhooks.newestOf(id, all)
    const orders = deliveries.filter(({ event }) => event === 'transfer_order')
    const ends = deliveries.filter(({ event }) => event === 'transaction_terminal')
    const isOver = transactionPhases[phaseOfRow(transaction)].outcome !== null
    const ordersDue = paidAt === null ? 0 : 1 + failureCount
    if (orders.length !== ordersDue || ends.length !== (isOver ? 1 : 0))
      this.#parts.break('each order and each end is sent', `${id}: ${orders.length} orders, ${ends.length} ends`)
    // A platform that was away writes the end down with its due time. It is told later.
    const endToldAt = ends.flatMap((end) => this.#attemptsOf(end))[0]?.at ?? Number.POSITIVE_INFINITY
    for (const delivery of deliveries) this.#checkAttempts(delivery, endToldAt)
  }

  #attemptsOf({ id }: WebhookDeliveryRow) {
    return this.#tables.webhooks.newestAttempts(id, null, all).toReversed()
  }

  #checkAttempts(delivery: WebhookDeliveryRow, endToldAt: number): void {
    const { transactionId, event, createdAt } = delivery
    let dueAt = createdAt
    for (const { at, nextAttemptAt } of this.#attemptsOf(delivery)) {
      if (at < dueAt || (event === 'transfer_order' && at > endToldAt))
        this.#parts.break('a webhook is sent when it is due', `${event} ${transactionId} at ${at}`)
      dueAt = Math.max(dueAt, nextAttemptAt ?? 0)
    }
  }

  #checkSold(listingId: number, sold: number): void {
    const listing = this.#tables.listings.byId(listingId)
    if (listing?.quantitySold !== sold || sold > listing.quantityListed)
      this.#parts.break('what counts as sold was sold', `${listing?.itemRef}: ${listing?.quantitySold}, not ${sold}`)
  }
}
