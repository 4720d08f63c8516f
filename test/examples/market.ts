import type { Stage } from '../../scripts/demo/stage.ts'

/** A transaction, as the stub tells it. */
export interface Sale {
  readonly transactionId: number
  readonly gameServerId: number
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
  readonly id: number
  readonly gameServerId: number
  readonly itemRef: string
  readonly quantityListed: number
  readonly quantitySold: number
  readonly observedQuantity: number | null
  readonly unitAmountCents: number
  readonly sellerCharacterRef: string
  readonly status: string
}

/** An attempt to send a webhook, with the answer. */
interface Attempt {
  readonly responseStatus: number | null
  readonly responseBody: string | null
}

/** A webhook of a transaction, with its attempts; those to other addresses than its own apart. */
export interface Webhook {
  readonly id: number
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly attempts: readonly Attempt[]
  readonly sentElsewhere: readonly Attempt[]
}

/** A call that reached the platform. */
export interface Call {
  readonly operation: string | null
  readonly transactionId: number | null
  readonly requestBody: string
  readonly status: number
}

/** What players, buyers, staff and time do at the platform, and what one sees there of one game server. */
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

  /** Somebody buys one unit and pays. @returns The transaction. */
  async sellOne(item: string, buyerCharacterRef: string): Promise<number> {
    const { id } = await this.listing(item)
    const purchase = { quantity: 1, buyerCharacterRef }
    const { checkoutUrl } = (await this.#stage.atPlatform('POST', `/stub/listings/${id}/buy`, purchase)) as Sale
    return this.pay(checkoutUrl)
  }

  /** The buyer opens a dispute. The staff reject it, or give the money back. */
  async decide(transactionId: number, ...acts: ('dispute' | 'reject-dispute' | 'refund')[]): Promise<void> {
    for (const act of acts) await this.#stage.atPlatform('POST', `/stub/transactions/${transactionId}/${act}`, {})
  }

  async sales(): Promise<readonly Sale[]> {
    const sales = (await this.#stage.atPlatform('GET', '/stub/transactions?limit=1000')) as Sale[]
    return sales.filter(({ gameServerId }) => gameServerId === this.#gameServerId)
  }

  async sale(transactionId: number): Promise<Sale> {
    return (await this.#stage.atPlatform('GET', `/stub/transactions/${transactionId}`)) as Sale
  }

  async listings(): Promise<readonly Listing[]> {
    const listings = (await this.#stage.atPlatform('GET', '/stub/listings?limit=1000')) as Listing[]
    return listings.filter(({ gameServerId }) => gameServerId === this.#gameServerId)
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

  /** Sends a webhook once to another address than its own. @returns The status of the answer. */
  async sendElsewhere({ id }: Webhook, webhookUrl: string): Promise<number | null | undefined> {
    const path = `/stub/webhooks/${id}/resend`
    const { sentElsewhere } = (await this.#stage.atPlatform('POST', path, { webhookUrl })) as Webhook
    return sentElsewhere.at(-1)?.responseStatus
  }

  /** The calls of an operation, the newest first. */
  async calls(operation: string): Promise<readonly Call[]> {
    const calls = (await this.#stage.atPlatform('GET', '/stub/requests?limit=1000')) as Call[]
    return calls.filter((call) => call.operation === operation)
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

  /**
   * The platform answers every call of an operation with 503, until `mend`.
   *
   * @param retryAfterSeconds A wait that is longer than a call ends each call at once.
   */
  refuseCalls(operation: string, retryAfterSeconds = 300): Promise<void> {
    return this.breakCalls({ kind: 'status', operation, status: 503, retryAfterSeconds, times: 10_000 })
  }

  async mend(): Promise<void> {
    await this.#stage.atPlatform('DELETE', '/stub/faults')
  }

  /** Something goes wrong with the next webhook. */
  async breakWebhook(fault: { readonly kind: string; readonly event: string; readonly [field: string]: unknown }) {
    await this.#stage.atPlatform('POST', '/stub/webhook-faults', fault)
  }
}
