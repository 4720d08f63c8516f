import type { ListingRow } from '../../../../platform-stub/store/listing-rows.ts'
import type { TransactionRow } from '../../../../platform-stub/store/transaction-rows.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { Break } from './judge.ts'

/** The platform sells what it may sell: when a purchase is made, and again when it is paid (interface, section 2). */
export class PurchasePromises {
  readonly #break: Break
  readonly #platform: () => ModelPlatform

  constructor(onBroken: Break, platform: () => ModelPlatform) {
    this.#break = onBroken
    this.#platform = platform
  }

  /** The platform has accepted a request. */
  readonly onAccepted = ({ operation, input }: SentRequest): void => {
    if (operation !== 'transaction.create') return
    const { itemRef, quantity } = input
    const listing = this.#platform().listingOf(String(itemRef))
    if (!this.#mayBeSold(listing, Number(quantity)))
      this.#break('a purchase is made only if there is enough of the item', `${quantity} of ${JSON.stringify(listing)}`)
  }

  /** A buyer is about to pay. @returns Called with whether the platform took the money. */
  readonly onPaying = ({ id, listingId, quantity, expiresAt }: TransactionRow): ((isPaid: boolean) => void) => {
    const listing = this.#market.tables.listings.byId(listingId)
    const mayBePaid = expiresAt > this.#market.clock.nowMs() && this.#mayBeSold(listing, quantity)
    return (isPaid) => {
      if (isPaid !== mayBePaid)
        this.#break('a purchase is paid only in time, and if there is enough of the item', `${id}: ${isPaid}`)
    }
  }

  get #market() {
    return this.#platform().composed.platform
  }

  #mayBeSold(listing: ListingRow | undefined, quantity: number): boolean {
    if (listing?.status !== 'ACTIVE') return false
    const { quantityListed, quantitySold, observedQuantity, observedAt } = listing
    const { clock, settings } = this.#market
    const isFresh = observedAt !== null && clock.nowMs() - observedAt <= settings.observationFreshnessMs
    const unsold = quantityListed - quantitySold
    return quantity <= (isFresh ? Math.min(unsold, observedQuantity ?? 0) : unsold)
  }
}
