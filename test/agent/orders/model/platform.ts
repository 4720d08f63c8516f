/**
 * The platform as the interface describes it, as far as a game server's orders are concerned: two axes of state, and
 * webhooks that are sent again until they are acknowledged. Times are Unix ms.
 */
export interface Delivery {
  readonly event: 'transfer_order' | 'transaction_terminal'
  readonly sale: Sale
  state: 'pending' | 'acknowledged' | 'ended'
  attempts: number
  nextMs: number
}

export interface Sale {
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number
  readonly paidMs: number
  payment: 'PAGO' | 'ESTORNADO' | 'EXPIRADO'
  delivery: 'AGUARDANDO_SERVIDOR' | 'ENTREGUE' | 'FALHOU' | 'EM_DISPUTA' | null
  isDelivered: boolean
  completedMs: number | null
  endedMs: number | null
  failures: number
  retryMs: number | null
  order: Delivery | undefined
  end: Delivery | undefined
}

/** What a report leads to. */
export type ReportResult = { readonly status: 200; readonly data: object } | { readonly status: 409 }

/** 15 s, doubling up to an hour. */
const backoffMs = (n: number) => Math.min(3_600_000, 15_000 * 2 ** (n - 1))
const isoOf = (ms: number) => new Date(ms).toISOString()

export class Platform {
  /** The newest sale of each number. */
  readonly sales: Sale[] = []
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  saleOf(transactionId: number): Sale {
    return this.sales[transactionId - 1] as Sale
  }

  /** Deliveries that are due, or at all still to be made. */
  pending(): Delivery[] {
    return this.sales.flatMap(({ order, end }) => [order, end]).filter((one) => one?.state === 'pending') as Delivery[]
  }

  /** @param reused A sale that is over, whose number a platform that was set up anew gives again. */
  sell(itemRef: string, quantity: number, reused?: Sale): void {
    const at = reused ? this.sales.indexOf(reused) : this.sales.length
    const sale: Sale = {
      transactionId: at + 1,
      itemRef,
      quantity,
      paidMs: Math.max(this.#nowMs(), (reused?.endedMs ?? 0) + 1),
      payment: 'PAGO',
      delivery: 'AGUARDANDO_SERVIDOR',
      isDelivered: false,
      completedMs: null,
      endedMs: null,
      failures: 0,
      retryMs: null,
      order: undefined,
      end: undefined,
    }
    sale.order = this.#delivery('transfer_order', sale, this.#nowMs())
    this.sales[at] = sale
  }

  /** A sale that is never paid. */
  expire(itemRef: string): void {
    this.sell(itemRef, 1)
    const sale = this.sales.at(-1) as Sale
    sale.order = undefined
    sale.delivery = null
    this.#terminate(sale, 'EXPIRADO')
  }

  deliver(sale: Sale): ReportResult {
    if (sale.payment !== 'PAGO' || !['AGUARDANDO_SERVIDOR', 'ENTREGUE'].includes(String(sale.delivery)))
      return { status: 409 }
    if (sale.delivery === 'AGUARDANDO_SERVIDOR' && sale.order?.attempts === 0) sale.order.state = 'ended'
    sale.delivery = 'ENTREGUE'
    sale.isDelivered = true
    return { status: 200, data: { ...this.read(sale), deliveredAt: isoOf(this.#nowMs()) } }
  }

  fail(sale: Sale, reason: 'OUT_OF_STOCK' | 'TEMPORARY'): ReportResult {
    const isAgain = reason === 'OUT_OF_STOCK' && sale.delivery === 'FALHOU'
    if (!isAgain && (sale.payment !== 'PAGO' || sale.delivery !== 'AGUARDANDO_SERVIDOR')) return { status: 409 }
    if (reason === 'OUT_OF_STOCK') {
      sale.delivery = 'FALHOU'
      return { status: 200, data: { ...this.read(sale), refundStarted: true, retryAt: null } }
    }
    if (sale.retryMs === null || sale.retryMs <= this.#nowMs()) {
      sale.failures++
      sale.retryMs = this.#nowMs() + backoffMs(sale.failures)
      sale.order = this.#delivery('transfer_order', sale, sale.retryMs)
    }
    return { status: 200, data: { ...this.read(sale), refundStarted: false, retryAt: isoOf(sale.retryMs) } }
  }

  dispute(sale: Sale): void {
    sale.delivery = 'EM_DISPUTA'
  }

  rejectDispute(sale: Sale): void {
    sale.delivery = sale.isDelivered ? 'ENTREGUE' : 'AGUARDANDO_SERVIDOR'
  }

  refund(sale: Sale): void {
    this.#terminate(sale, 'ESTORNADO')
  }

  complete(sale: Sale): void {
    sale.completedMs = this.#nowMs()
    this.#terminate(sale, 'PAGO')
  }

  /** The data of `transaction.get`. */
  read({ transactionId, payment, delivery, completedMs }: Sale): object {
    const completedAt = completedMs === null ? null : isoOf(completedMs)
    return { transactionId, paymentStatus: payment, deliveryStatus: delivery, completedAt }
  }

  /** An attempt has ended without a 2xx. */
  retry(delivery: Delivery): void {
    delivery.nextMs = this.#nowMs() + backoffMs(delivery.attempts)
  }

  /** The body of a webhook. */
  bodyOf({ event, sale }: Delivery): string {
    const { transactionId, itemRef, quantity, payment, delivery } = sale
    if (event === 'transfer_order') {
      const refs = { buyerCharacterRef: 'Ana', sellerCharacterRef: 'Bruno' }
      return JSON.stringify({ event, transactionId, itemRef, quantity, ...refs, paidAt: isoOf(sale.paidMs) })
    }
    const states = { paymentStatus: payment, deliveryStatus: delivery, reason: null }
    return JSON.stringify({ event, transactionId, itemRef, ...states, occurredAt: isoOf(sale.endedMs ?? 0) })
  }

  #terminate(sale: Sale, payment: Sale['payment']): void {
    sale.payment = payment
    sale.endedMs = this.#nowMs()
    if (sale.order?.state === 'pending') sale.order.state = 'ended'
    sale.end = this.#delivery('transaction_terminal', sale, this.#nowMs())
  }

  #delivery(event: Delivery['event'], sale: Sale, nextMs: number): Delivery {
    return { event, sale, state: 'pending', attempts: 0, nextMs }
  }
}

/** Whether the platform waits for the game server: now, or again when a dispute is rejected. */
export function isAwaited({ payment, delivery, isDelivered }: Sale): boolean {
  return payment === 'PAGO' && (delivery === 'AGUARDANDO_SERVIDOR' || (delivery === 'EM_DISPUTA' && !isDelivered))
}
