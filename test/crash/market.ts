import { end, order } from '../agent/fixtures/events.ts'
import { goodReply, type PlatformReply, type PlatformRequest } from '../agent/fixtures/fake-platform.ts'
import { sendWebhook } from '../agent/fixtures/webhook-sender.ts'
import { pause } from './scenario.ts'
import type { World } from './world.ts'

/** One webhook of the platform, sent until it is acknowledged or void. */
interface Delivery {
  readonly event: { readonly event: 'transfer_order' | 'transaction_terminal' }
  isAcknowledged: boolean
  /** The game server has replied to it. */
  isReplied: boolean
}

interface Sale {
  readonly transactionId: number
  paymentStatus: string
  deliveryStatus: string | null
  order?: Delivery
  end?: Delivery
  /** How many of its orders were acknowledged. */
  ordersAcknowledged: number
  /** The game server has replied to an order since it began its last report. */
  isRepliedSinceReport: boolean
}

const retryMs = 20
const at = '2026-11-21T12:00:00.000Z'

/** The platform's half of some sales: their states, and webhooks that are sent again and again. */
export class Market {
  readonly sales: readonly Sale[]
  /** Where the agent that lives takes webhooks. */
  webhookUrl: string | undefined
  readonly #world: World
  #isOver = false

  constructor(world: World, transactionIds: readonly number[]) {
    this.#world = world
    this.sales = transactionIds.map((transactionId) => ({
      transactionId,
      paymentStatus: 'AGUARDANDO_PAGAMENTO',
      deliveryStatus: null,
      ordersAcknowledged: 0,
      isRepliedSinceReport: false,
    }))
    world.platform.reply = (request) => this.#answer(request)
  }

  /** Sends nothing more. */
  close(): void {
    this.#isOver = true
  }

  pay(transactionId: number): void {
    const sale = this.#find(transactionId)
    Object.assign(sale, { paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' })
    this.#sendOrder(sale)
  }

  expire(transactionId: number): void {
    this.#endSale(this.#find(transactionId), 'EXPIRADO', null)
  }

  /** The staff give the buyer the money back. */
  refund(transactionId: number): void {
    const sale = this.#find(transactionId)
    if (!sale.end) this.#endSale(sale, 'ESTORNADO', 'EM_DISPUTA')
  }

  /** The game server is about to reply to an order. */
  noteReply(transactionId: number): void {
    const sale = this.#find(transactionId)
    sale.isRepliedSinceReport = true
    if (sale.order) sale.order.isReplied = true
  }

  /** The game server begins to report what became of an order. */
  noteReport(transactionId: number): void {
    this.#find(transactionId).isRepliedSinceReport = false
  }

  /** Whether the platform still waits for the game server. */
  isAwaiting(transactionId: number): boolean {
    return this.#find(transactionId).deliveryStatus === 'AGUARDANDO_SERVIDOR'
  }

  #find(transactionId: number): Sale {
    const sale = this.sales.find((other) => other.transactionId === transactionId)
    if (!sale) throw new Error(`no transaction ${transactionId}`)
    return sale
  }

  #sendOrder(sale: Sale): void {
    // An attempt of the order before may have been offered again while the report was on its way: that reply counts.
    const isReplied = sale.isRepliedSinceReport
    const delivery: Delivery = { event: { ...order, ...idsOf(sale) }, isAcknowledged: false, isReplied }
    sale.order = delivery
    const isVoid = () => sale.order !== delivery || sale.end !== undefined
    void this.#send(delivery, isVoid, ({ observedQuantity }) => {
      if (isVoid()) return
      sale.ordersAcknowledged++
      const { transactionId } = sale
      if (!delivery.isReplied) this.#world.violate('I12', `order ${transactionId} is acknowledged without a reply`)
      else if (typeof observedQuantity !== 'number') this.#world.violate('I12', `the reply to ${transactionId} is lost`)
    })
  }

  #endSale(sale: Sale, paymentStatus: string, deliveryStatus: string | null): void {
    Object.assign(sale, { paymentStatus, deliveryStatus })
    const event = { ...end, ...idsOf(sale), paymentStatus, deliveryStatus, reason: null }
    sale.end = { event, isAcknowledged: false, isReplied: false }
    void this.#send(sale.end, () => false)
  }

  async #send(
    delivery: Delivery,
    isVoid: () => boolean,
    onAcknowledged: (body: Readonly<Record<string, unknown>>) => void = () => undefined,
  ): Promise<void> {
    for (; !this.#isOver && !isVoid(); await pause(retryMs)) {
      if (this.webhookUrl === undefined) continue
      try {
        const { status, body } = await sendWebhook(this.webhookUrl, delivery.event)
        if (status !== 200) continue
        delivery.isAcknowledged = true
        return onAcknowledged(body)
      } catch {
        // The agent has died.
      }
    }
  }

  #answer(request: PlatformRequest): PlatformReply {
    const match = /^\/v1\/api\/transactions\/(\d+)(.*)$/.exec(request.path)
    const sale = this.sales.find(({ transactionId }) => transactionId === Number(match?.[1]))
    if (!match || !sale) return goodReply(request)
    if (match[2] === '') return stateOf(sale)
    if (match[2] === '/delivery') return this.#deliver(sale)
    return this.#fail(sale, (JSON.parse(request.body) as { reason: string }).reason)
  }

  #deliver(sale: Sale): PlatformReply {
    if (sale.deliveryStatus === 'AGUARDANDO_SERVIDOR') this.#endSale(sale, 'PAGO', 'ENTREGUE')
    return sale.deliveryStatus === 'ENTREGUE' ? stateOf(sale, { deliveredAt: at }) : conflict
  }

  /** A `TEMPORARY` sends the order again at once: its `retryAt` is over. */
  #fail(sale: Sale, reason: string): PlatformReply {
    if (sale.deliveryStatus === 'AGUARDANDO_SERVIDOR') {
      if (reason === 'OUT_OF_STOCK') this.#endSale(sale, 'ESTORNADO', 'FALHOU')
      else this.#sendOrder(sale)
    }
    if (sale.deliveryStatus === 'FALHOU') return stateOf(sale, { refundStarted: true, retryAt: null })
    return sale.deliveryStatus === 'AGUARDANDO_SERVIDOR'
      ? stateOf(sale, { refundStarted: false, retryAt: at })
      : conflict
  }
}

const conflict: PlatformReply = { status: 409, body: '{"message":"A transação não aceita isso agora."}' }

/** Each sale has an item of its own. */
function idsOf({ transactionId }: Sale) {
  return { transactionId, itemRef: `item-${transactionId}` }
}

function stateOf({ transactionId, paymentStatus, deliveryStatus }: Sale, more: object = {}): PlatformReply {
  const completedAt = deliveryStatus === 'ENTREGUE' ? at : null
  return {
    status: 200,
    body: JSON.stringify({ data: { transactionId, paymentStatus, deliveryStatus, completedAt, ...more } }),
  }
}
