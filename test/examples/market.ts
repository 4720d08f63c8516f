import type { Stage } from '../../scripts/demo/stage.ts'

/** A transaction, as the stub tells it. */
export interface Sale {
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number
  readonly buyerCharacterRef: string
  readonly checkoutUrl: string
  readonly paymentStatus: string
  readonly deliveryStatus: string | null
  readonly outcome: string | null
  readonly retryAt: string | null
  readonly history: readonly { readonly trigger: string }[]
}

/** A listing, as the stub tells it. */
interface Listing {
  readonly itemRef: string
  readonly quantityListed: number
  readonly quantitySold: number
  readonly observedQuantity: number | null
  readonly unitAmountCents: number
  readonly sellerCharacterRef: string
  readonly status: string
}

/** A webhook of a transaction, with its attempts. */
export interface Webhook {
  readonly id: number
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly attempts: readonly { readonly responseStatus: number | null; readonly responseBody: string | null }[]
}

/** What players, buyers, staff and time do at the platform, and what one sees there. */
export class Market {
  readonly #stage: Stage
  readonly #gameServerId: number

  constructor(stage: Stage, gameServerId: number) {
    this.#stage = stage
    this.#gameServerId = gameServerId
  }

  /** The player opens the address of a link and confirms it. */
  async confirmLink(url: string): Promise<void> {
    await this.#stage.atPlatform('POST', url)
  }

  async approveRecipient(characterRef: string): Promise<void> {
    const path = `/stub/game-servers/${this.#gameServerId}/characters/${characterRef}`
    await this.#stage.atPlatform('PUT', path, { recipientApproved: true })
  }

  /** The buyer pays at the address that the game server got. @returns The transaction. */
  async pay(checkoutUrl: string): Promise<number> {
    const sale = (await this.sales()).find((candidate) => candidate.checkoutUrl === checkoutUrl)
    if (!sale) throw new Error(`no purchase has the address ${checkoutUrl}`)
    await this.#stage.atPlatform('POST', `/stub/transactions/${sale.transactionId}/pay`, {})
    return sale.transactionId
  }

  /** The staff give the buyer the money back, before the delivery. */
  async refund(transactionId: number): Promise<void> {
    for (const act of ['dispute', 'refund'])
      await this.#stage.atPlatform('POST', `/stub/transactions/${transactionId}/${act}`, {})
  }

  async sales(): Promise<readonly Sale[]> {
    return (await this.#stage.atPlatform('GET', '/stub/transactions?limit=1000')) as Sale[]
  }

  async sale(transactionId: number): Promise<Sale> {
    return (await this.#stage.atPlatform('GET', `/stub/transactions/${transactionId}`)) as Sale
  }

  async listings(): Promise<readonly Listing[]> {
    return (await this.#stage.atPlatform('GET', '/stub/listings?limit=1000')) as Listing[]
  }

  /** The only listing of an item. */
  async listing(item: string): Promise<Listing> {
    const [listing, ...others] = (await this.listings()).filter(({ itemRef }) => itemRef === item)
    if (!listing || others.length > 0) throw new Error(`${item} has ${listing ? 'several listings' : 'no listing'}`)
    return listing
  }

  async webhooks(transactionId: number): Promise<readonly Webhook[]> {
    return (await this.#stage.atPlatform('GET', `/stub/webhooks?transactionId=${transactionId}`)) as Webhook[]
  }

  /** Time passes, and what is due on the way is done. */
  async pass(advanceSeconds: number): Promise<void> {
    await this.#stage.atPlatform('PUT', '/stub/clock', { advanceSeconds })
  }

  /** Time passes until just after a moment. */
  async passUntil(moment: string): Promise<void> {
    const now = new Date(Date.parse(moment) + 1_000).toISOString()
    await this.#stage.atPlatform('PUT', '/stub/clock', { now })
  }

  /** Something goes wrong with the next calls of an operation. */
  async breakCalls(fault: { readonly kind: string; readonly operation: string; readonly [field: string]: unknown }) {
    await this.#stage.atPlatform('POST', '/stub/faults', fault)
  }

  /** The platform answers every call of an operation with 503, until `mend`. */
  refuseCalls(operation: string): Promise<void> {
    // The wait is longer than a call, so each call ends at once.
    return this.breakCalls({ kind: 'status', operation, status: 503, retryAfterSeconds: 300, times: 10_000 })
  }

  async mend(): Promise<void> {
    await this.#stage.atPlatform('DELETE', '/stub/faults')
  }

  /** Something goes wrong with the next webhook. */
  async breakWebhook(fault: { readonly kind: string; readonly event: string; readonly [field: string]: unknown }) {
    await this.#stage.atPlatform('POST', '/stub/webhook-faults', fault)
  }
}
