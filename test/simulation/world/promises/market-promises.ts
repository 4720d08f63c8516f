import type { TransactionTerminal } from '../../../../contract/events.ts'
import { limits } from '../../../../contract/limits.ts'
import { transactionPhases } from '../../../../contract/transaction.ts'
import { phaseOfRow } from '../../../../platform-stub/marketplace/transactions/moves.ts'
import type { HistoryRow, TransactionRow } from '../../../../platform-stub/store/transaction-rows.ts'
import type { WebhookDeliveryRow } from '../../../../platform-stub/store/webhook-rows.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Break } from './judge.ts'

interface MarketPromisesParts {
  readonly break: Break
  readonly platform: ModelPlatform
}

/** What passes between the end of an attempt and its record. */
const leewayMs = 1_000
/** More than any transaction or delivery of a run has. */
const all = 1_000

/** After these moves the platform sends no order, or another one. */
const endsOrders: ReadonlySet<HistoryRow['trigger']> = new Set([
  'deliver',
  'fail-out-of-stock',
  'fail-temporary',
  'refund',
  'complete',
])

/**
 * Every move of a transaction, as the interface says it (section 3): the pair before it, the trigger, the pair after it. The
 * contract has a table of its own, which is checked here.
 */
const moves: ReadonlySet<string> = new Set([
  ' create AGUARDANDO_PAGAMENTO null',
  'AGUARDANDO_PAGAMENTO null pay PAGO AGUARDANDO_SERVIDOR',
  'AGUARDANDO_PAGAMENTO null expire EXPIRADO null',
  'AGUARDANDO_PAGAMENTO null cancel CANCELADO null',
  'PAGO AGUARDANDO_SERVIDOR deliver PAGO ENTREGUE',
  'PAGO AGUARDANDO_SERVIDOR fail-out-of-stock PAGO FALHOU',
  'PAGO AGUARDANDO_SERVIDOR fail-temporary PAGO AGUARDANDO_SERVIDOR',
  'PAGO AGUARDANDO_SERVIDOR dispute PAGO EM_DISPUTA',
  'PAGO ENTREGUE dispute PAGO EM_DISPUTA',
  'PAGO ENTREGUE complete PAGO ENTREGUE',
  'PAGO FALHOU refund ESTORNADO FALHOU',
  'PAGO EM_DISPUTA refund ESTORNADO EM_DISPUTA',
])
/** A rejected dispute returns the transaction to its earlier state. */
const rejected = { delivered: 'PAGO ENTREGUE', awaited: 'PAGO AGUARDANDO_SERVIDOR' }

/** The `reason` of a terminal event. Others have none. */
const endReasons: Readonly<Record<string, string>> = {
  'ESTORNADO FALHOU': 'OUT_OF_STOCK',
  'ESTORNADO EM_DISPUTA': 'DISPUTE',
}

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
      this.#checkMoves(id)
      this.#checkMoney(transaction)
      this.#checkPutOffs(transaction)
      this.#checkTimes(transaction)
      this.#checkWebhooks(transaction)
      const { listingId, quantity } = transaction
      const sold = transaction.paidAt === null || isRefunded(transaction) ? 0 : quantity
      soldOf.set(listingId, (soldOf.get(listingId) ?? 0) + sold)
    }
    for (const [listingId, sold] of soldOf) this.#checkSold(listingId, sold)
  }

  get #tables() {
    return this.#parts.platform.composed.platform.tables
  }

  #checkMoves(id: number): void {
    let before = ''
    let wasDelivered = false
    for (const row of this.#tables.transactions.historyOf(id)) {
      const { trigger } = row
      const after = pairOf(row)
      const isRight =
        trigger === 'reject-dispute'
          ? before === 'PAGO EM_DISPUTA' && after === (wasDelivered ? rejected.delivered : rejected.awaited)
          : moves.has(`${before} ${trigger} ${after}`)
      if (!isRight)
        this.#parts.break('a transaction moves as the interface says', `${id}: ${before} ${trigger} ${after}`)
      wasDelivered ||= trigger === 'deliver'
      before = after
    }
  }

  #checkMoney(transaction: TransactionRow): void {
    const { id, listingId, quantity, unitAmountCents, paidAt } = transaction
    const price = this.#tables.listings.byId(listingId)?.unitAmountCents
    if (unitAmountCents !== price)
      this.#parts.break('a purchase has the price of its listing', `${id}: ${unitAmountCents}, not ${price}`)
    const amount = quantity * unitAmountCents
    const due = [
      ...(paidAt === null ? [] : [`payment ${amount}`]),
      ...(isRefunded(transaction) ? [`refund ${amount}`] : []),
    ]
    const moved = this.#tables.transactions.moneyOf(id).map(({ kind, amountCents }) => `${kind} ${amountCents}`)
    if (moved.join() !== due.join())
      this.#parts.break('a buyer pays once, and gets back all of it or nothing', `${id}: ${moved} in place of ${due}`)
  }

  /** Time moves a transaction when it is due, and not before. */
  #checkTimes({ id, expiresAt, deliveredAt }: TransactionRow): void {
    const { completionDelayMs } = this.#parts.platform.composed.platform.settings
    const dueAt: Readonly<Partial<Record<HistoryRow['trigger'], number>>> = {
      expire: expiresAt,
      complete: (deliveredAt ?? Number.POSITIVE_INFINITY) + completionDelayMs,
    }
    for (const { trigger, at } of this.#tables.transactions.historyOf(id))
      if (at < (dueAt[trigger] ?? Number.NEGATIVE_INFINITY))
        this.#parts.break('a transaction ends by itself when it is due', `${id}: ${trigger} at ${at}`)
  }

  #checkPutOffs({ id: transactionId, retryAt: said }: TransactionRow): void {
    let retryAt = 0
    let failures = 0
    for (const { trigger, at } of this.#tables.transactions.historyOf(transactionId)) {
      if (trigger !== 'fail-temporary') continue
      if (at < retryAt) this.#parts.break('TEMPORARY counts once before the order is sent again', String(transactionId))
      retryAt = at + delayMsAfter(++failures)
    }
    if (said !== null && said !== retryAt)
      this.#parts.break('an order is sent again when the interface says', `${transactionId}: ${said}, not ${retryAt}`)
  }

  /** One order for the payment and for each `TEMPORARY`, and one terminal event. No order is sent after the next of these. */
  #checkWebhooks(transaction: TransactionRow): void {
    const { id, paidAt, failureCount } = transaction
    const deliveries = this.#tables.webhooks.newestOf(id, all)
    // Oldest first: the order of the payment, then one for each TEMPORARY.
    const orders = deliveries.filter(({ event }) => event === 'transfer_order').toReversed()
    const terminalEvents = deliveries.filter(({ event }) => event === 'transaction_terminal')
    const isOver = transactionPhases[phaseOfRow(transaction)].outcome !== null
    const ordersDue = paidAt === null ? 0 : 1 + failureCount
    if (orders.length !== ordersDue || terminalEvents.length !== (isOver ? 1 : 0))
      this.#parts.break(
        'each order and each terminal event is queued once',
        `${id}: ${orders.length} and ${terminalEvents.length}`,
      )
    for (const order of orders) this.#checkEnded(order)
    for (const event of terminalEvents) this.#checkTerminal(transaction, event)
    // A platform that was away writes the end down with its due time, and tells it later.
    const terminalSentAt = terminalEvents.flatMap((event) => this.#attemptsOf(event))[0]?.at ?? Number.POSITIVE_INFINITY
    for (const event of terminalEvents) this.#checkAttempts(event, event.createdAt, Number.POSITIVE_INFINITY)
    for (const [failures, order] of orders.entries())
      this.#checkAttempts(
        order,
        order.createdAt + delayMsAfter(failures),
        Math.min(orders[failures + 1]?.createdAt ?? Number.POSITIVE_INFINITY, terminalSentAt),
      )
  }

  /** A terminal event says how its transaction ended. */
  #checkTerminal(transaction: TransactionRow, { payload, createdAt }: WebhookDeliveryRow): void {
    const { itemRef, paymentStatus, deliveryStatus, reason, occurredAt } = JSON.parse(payload) as TransactionTerminal
    const isRight =
      itemRef === this.#parts.platform.itemOf(transaction.id) &&
      `${paymentStatus} ${deliveryStatus}` === pairOf(transaction) &&
      reason === (endReasons[pairOf(transaction)] ?? null) &&
      Date.parse(occurredAt) === createdAt
    if (!isRight) this.#parts.break('a terminal event says how its transaction ended', payload)
  }

  /** An order that was not acknowledged is sent until a move ends it. */
  #checkEnded({ transactionId, state, createdAt, closedAt }: WebhookDeliveryRow): void {
    if (state !== 'ended') return
    const isEnd = ({ trigger, at }: HistoryRow) =>
      endsOrders.has(trigger) && at > createdAt && at <= (closedAt ?? Number.POSITIVE_INFINITY)
    if (!this.#tables.transactions.historyOf(transactionId).some(isEnd))
      this.#parts.break('an order is sent until it is acknowledged or over', `${transactionId} of ${createdAt}`)
  }

  #attemptsOf({ id }: WebhookDeliveryRow) {
    return this.#tables.webhooks.newestAttempts(id, null, all).toReversed()
  }

  #checkAttempts(delivery: WebhookDeliveryRow, firstDueAt: number, overAt: number): void {
    let dueAt = firstDueAt
    for (const { at, durationMs, number, nextAttemptAt } of this.#attemptsOf(delivery)) {
      if (at < dueAt || at > overAt)
        this.#parts.break('a webhook is sent when it is due', `${delivery.event} ${delivery.transactionId} at ${at}`)
      // A copy that a fault sends along has no next attempt.
      if (nextAttemptAt === null) continue
      dueAt = at + delayMsAfter(number)
      if (nextAttemptAt > dueAt + durationMs + leewayMs)
        this.#parts.break(
          'a webhook is due again when the interface says',
          `${delivery.event} ${delivery.transactionId}`,
        )
    }
  }

  #checkSold(listingId: number, sold: number): void {
    const listing = this.#tables.listings.byId(listingId)
    if (listing?.quantitySold !== sold || sold > listing.quantityListed)
      this.#parts.break('what counts as sold was sold', `${listing?.itemRef}: ${listing?.quantitySold}, not ${sold}`)
  }
}

function pairOf({ paymentStatus, deliveryStatus }: Pick<HistoryRow, 'paymentStatus' | 'deliveryStatus'>): string {
  return `${paymentStatus} ${deliveryStatus}`
}

function isRefunded(transaction: TransactionRow): boolean {
  return transaction.paymentStatus === 'ESTORNADO'
}

/** As the interface says it, section 6: not by the function of the platform, which is checked here. None before the first failure. */
function delayMsAfter(failures: number): number {
  const { webhookRetryDelayMsFirst, webhookRetryDelayMsMax } = limits
  return failures === 0 ? 0 : Math.min(webhookRetryDelayMsMax, webhookRetryDelayMsFirst * 2 ** (failures - 1))
}
