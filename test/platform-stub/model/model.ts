/**
 * The platform as the interface describes it, in as few words as possible and without a line of the program: two axes of
 * state, an estimate, money, and webhooks with their waits. Times are Unix ms.
 */

export const settings = {
  paymentExpiryMs: 1_800_000,
  observationFreshnessMs: 600_000,
  completionDelayMs: 1_200_000,
} as const

export interface ModelListing {
  readonly itemRef: string
  readonly quantityListed: number
  isWithdrawn: boolean
  observed: { quantity: number; atMs: number } | null
}

interface ModelDelivery {
  readonly event: 'transfer_order' | 'transaction_terminal'
  state: 'pending' | 'acknowledged' | 'ended'
  attempts: number
  nextMs: number | null
}

export interface ModelTransaction {
  readonly listing: ModelListing
  readonly quantity: number
  payment: 'AGUARDANDO_PAGAMENTO' | 'PAGO' | 'ESTORNADO' | 'EXPIRADO' | 'CANCELADO'
  delivery: 'AGUARDANDO_SERVIDOR' | 'ENTREGUE' | 'FALHOU' | 'EM_DISPUTA' | null
  readonly expiresMs: number
  paidMs: number | null
  deliveredMs: number | null
  completedMs: number | null
  /** When completion is due; null while nothing leads there, a dispute for one. */
  completionDueMs: number | null
  failure: 'OUT_OF_STOCK' | 'TEMPORARY' | null
  failures: number
  retryMs: number | null
  readonly deliveries: ModelDelivery[]
}

/** How the game server's receiver answers. */
export type Receiver = { readonly answers: boolean; readonly observed: number | null }

const backoffMs = (n: number) => Math.min(3_600_000, 15_000 * 2 ** (n - 1))

export class Model {
  nowMs: number
  receiver: Receiver = { answers: true, observed: null }
  readonly listings: ModelListing[] = []
  readonly transactions: ModelTransaction[] = []

  constructor(nowMs: number) {
    this.nowMs = nowMs
  }

  available(listing: ModelListing): number {
    const left = listing.quantityListed - this.sold(listing)
    const isRecent = listing.observed && this.nowMs - listing.observed.atMs <= settings.observationFreshnessMs
    return Math.max(0, isRecent ? Math.min(left, listing.observed?.quantity ?? left) : left)
  }

  /** What is paid and not refunded. */
  sold(listing: ModelListing): number {
    return this.transactions
      .filter((transaction) => transaction.listing === listing && transaction.payment === 'PAGO')
      .reduce((sum, { quantity }) => sum + quantity, 0)
  }

  register(itemRef: string, quantityListed: number): boolean {
    if (this.listings.some((listing) => listing.itemRef === itemRef)) return false
    this.listings.push({ itemRef, quantityListed, isWithdrawn: false, observed: null })
    return true
  }

  observe(listing: ModelListing, quantity: number): boolean {
    if (listing.isWithdrawn) return false
    listing.observed = { quantity, atMs: this.nowMs }
    return true
  }

  withdraw(listing: ModelListing): boolean {
    listing.isWithdrawn = true
    return true
  }

  purchase(listing: ModelListing, quantity: number): boolean {
    if (listing.isWithdrawn || quantity > this.available(listing)) return false
    this.transactions.push({
      listing,
      quantity,
      payment: 'AGUARDANDO_PAGAMENTO',
      delivery: null,
      expiresMs: this.nowMs + settings.paymentExpiryMs,
      paidMs: null,
      deliveredMs: null,
      completedMs: null,
      completionDueMs: null,
      failure: null,
      failures: 0,
      retryMs: null,
      deliveries: [],
    })
    return true
  }

  pay(of: ModelTransaction): boolean {
    if (of.payment !== 'AGUARDANDO_PAGAMENTO') return false
    if (of.listing.isWithdrawn || of.quantity > this.available(of.listing)) return false
    of.payment = 'PAGO'
    of.delivery = 'AGUARDANDO_SERVIDOR'
    of.paidMs = this.nowMs
    this.#order(of, this.nowMs)
    return true
  }

  end(of: ModelTransaction, payment: 'EXPIRADO' | 'CANCELADO'): boolean {
    if (of.payment !== 'AGUARDANDO_PAGAMENTO') return false
    of.payment = payment
    this.#terminal(of)
    return true
  }

  deliver(of: ModelTransaction): boolean {
    if (of.payment === 'PAGO' && of.delivery === 'ENTREGUE') return true
    if (of.payment !== 'PAGO' || of.delivery !== 'AGUARDANDO_SERVIDOR') return false
    of.delivery = 'ENTREGUE'
    of.deliveredMs = this.nowMs
    of.completionDueMs = this.nowMs + settings.completionDelayMs
    of.failure = null
    of.retryMs = null
    // An order that was never sent is not sent for an item that is delivered.
    this.#endOrders(of, 0)
    return true
  }

  failForGood(of: ModelTransaction, observed: number): boolean {
    if (of.delivery === 'FALHOU') return true
    if (of.payment !== 'PAGO' || of.delivery !== 'AGUARDANDO_SERVIDOR') return false
    of.listing.observed = { quantity: observed, atMs: this.nowMs }
    of.delivery = 'FALHOU'
    of.failure = 'OUT_OF_STOCK'
    of.retryMs = null
    this.#refund(of)
    return true
  }

  failForNow(of: ModelTransaction, observed: number): boolean {
    if (of.payment !== 'PAGO' || of.delivery !== 'AGUARDANDO_SERVIDOR') return false
    of.listing.observed = { quantity: observed, atMs: this.nowMs }
    if (of.retryMs !== null && this.nowMs < of.retryMs) return true
    of.failure = 'TEMPORARY'
    of.failures++
    of.retryMs = this.nowMs + backoffMs(of.failures)
    this.#order(of, of.retryMs)
    return true
  }

  dispute(of: ModelTransaction): boolean {
    const canBe = of.delivery === 'AGUARDANDO_SERVIDOR' || (of.delivery === 'ENTREGUE' && of.completedMs === null)
    if (of.payment !== 'PAGO' || !canBe) return false
    of.delivery = 'EM_DISPUTA'
    of.completionDueMs = null
    return true
  }

  rejectDispute(of: ModelTransaction): boolean {
    if (of.payment !== 'PAGO' || of.delivery !== 'EM_DISPUTA') return false
    of.delivery = of.deliveredMs === null ? 'AGUARDANDO_SERVIDOR' : 'ENTREGUE'
    if (of.deliveredMs !== null) {
      of.completionDueMs = Math.max(this.nowMs, of.deliveredMs + settings.completionDelayMs)
    }
    return true
  }

  refundDispute(of: ModelTransaction): boolean {
    if (of.payment !== 'PAGO' || of.delivery !== 'EM_DISPUTA') return false
    this.#refund(of)
    return true
  }

  /** When something is due next; infinity where nothing is. */
  nextDueMs(): number {
    return Math.min(...this.#dueMoments())
  }

  /** Lets time pass to a moment: what comes due happens in order, moves before webhooks. */
  runTo(momentMs: number): void {
    for (;;) {
      const next = this.nextDueMs()
      if (next > momentMs) break
      this.nowMs = Math.max(this.nowMs, next)
      if (!this.#makeMoves()) this.#attemptAll()
    }
    this.nowMs = Math.max(this.nowMs, momentMs)
  }

  *#dueMoments(): Generator<number> {
    yield Number.POSITIVE_INFINITY
    for (const of of this.transactions) {
      if (of.payment === 'AGUARDANDO_PAGAMENTO') yield of.expiresMs
      if (of.completionDueMs !== null) yield of.completionDueMs
      for (const { nextMs } of of.deliveries) if (nextMs !== null) yield nextMs
    }
  }

  #makeMoves(): boolean {
    let hasMoved = false
    for (const of of this.transactions) {
      if (of.payment === 'AGUARDANDO_PAGAMENTO' && of.expiresMs <= this.nowMs) hasMoved = this.end(of, 'EXPIRADO')
      if (of.completionDueMs !== null && of.completionDueMs <= this.nowMs) {
        of.completedMs = this.nowMs
        of.completionDueMs = null
        this.#terminal(of)
        hasMoved = true
      }
    }
    return hasMoved
  }

  #attemptAll(): void {
    for (const of of this.transactions) {
      for (const delivery of of.deliveries) {
        if (delivery.nextMs === null || delivery.nextMs > this.nowMs) continue
        delivery.attempts++
        delivery.nextMs = this.receiver.answers ? null : this.nowMs + backoffMs(delivery.attempts)
        if (!this.receiver.answers) continue
        delivery.state = 'acknowledged'
        if (delivery.event === 'transfer_order' && this.receiver.observed !== null) {
          of.listing.observed = { quantity: this.receiver.observed, atMs: this.nowMs }
        }
      }
    }
  }

  #refund(of: ModelTransaction): void {
    of.payment = 'ESTORNADO'
    this.#terminal(of)
  }

  #order(of: ModelTransaction, atMs: number): void {
    this.#endOrders(of)
    of.deliveries.push({ event: 'transfer_order', state: 'pending', attempts: 0, nextMs: atMs })
  }

  #terminal(of: ModelTransaction): void {
    this.#endOrders(of)
    of.deliveries.push({ event: 'transaction_terminal', state: 'pending', attempts: 0, nextMs: this.nowMs })
  }

  #endOrders({ deliveries }: ModelTransaction, attemptsMax = Number.POSITIVE_INFINITY): void {
    for (const delivery of deliveries) {
      if (delivery.event !== 'transfer_order' || delivery.state !== 'pending') continue
      if (delivery.attempts > attemptsMax) continue
      delivery.state = 'ended'
      delivery.nextMs = null
    }
  }
}
