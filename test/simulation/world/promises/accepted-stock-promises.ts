import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { Break } from './judge.ts'
import { stockOf } from './stock-of.ts'

/**
 * The platform has the stock of each call that it accepts. A repeated `OUT_OF_STOCK` is about an earlier time.
 *
 * @param onReported Called with the item of each such stock. @returns Called with each request that it has accepted.
 */
export function acceptedStockPromises(
  onBroken: Break,
  platform: () => ModelPlatform,
  onReported: (itemRef: string) => void,
): (request: SentRequest) => void {
  const soldOut = new Set<number>()
  return (request) => {
    const stock = stockOf(request, platform())
    if (!stock) return
    const { transactionId, input } = request
    if (transactionId !== undefined && input['reason'] === 'OUT_OF_STOCK') {
      if (soldOut.has(transactionId)) return
      soldOut.add(transactionId)
    }
    onReported(stock.itemRef)
    const listing = platform().listingOf(stock.itemRef)
    if (listing?.observedQuantity !== stock.quantity)
      onBroken(
        'the platform has the stock of each call that it accepts',
        `${stock.itemRef}: ${listing?.observedQuantity} in place of ${stock.quantity}`,
      )
    if (listing?.observedAt !== platform().composed.clock.nowMs())
      onBroken('an observation is as old as the call that made it', `${stock.itemRef}: ${listing?.observedAt}`)
  }
}
