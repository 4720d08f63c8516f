import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { GivenCall } from '../witnessed.ts'

/** A stock in a request for the platform, and whether it is all that the request says or a report about an order. */
export interface RequestedStock {
  readonly itemRef: string
  readonly quantity: number
  readonly by: 'call' | 'report'
}

/** The item of a call; empty if it is about none. */
export function itemOf({ input }: GivenCall, platform: Pick<ModelPlatform, 'itemOf'>): string {
  const { itemRef, transactionId } = input ?? {}
  return itemRef === undefined ? platform.itemOf(Number(transactionId)) : String(itemRef)
}

/** The stock that a request for the platform has; undefined if it has none. */
export function stockOf({ transactionId, input }: SentRequest, platform: ModelPlatform): RequestedStock | undefined {
  const { itemRef, observedQuantity: quantity } = input
  if (typeof quantity !== 'number') return undefined
  return transactionId === undefined
    ? { itemRef: String(itemRef), quantity, by: 'call' }
    : { itemRef: platform.itemOf(transactionId), quantity, by: 'report' }
}
