import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../witnessed.ts'

/** A stock in a request for the platform, and whether it is all that the request says or a report about an order. */
export interface RequestedStock {
  readonly itemRef: string
  readonly quantity: number
  readonly by: 'call' | 'report'
}

/** The stock that a request for the platform has; undefined if it has none. */
export function stockOf({ path, input }: SentRequest, platform: ModelPlatform): RequestedStock | undefined {
  const [, id] = /^\/v1\/api\/transactions\/(\d+)\/delivery-failure$/.exec(path) ?? []
  if (id === undefined && path !== '/v1/api/market/listings') return undefined
  const { itemRef, observedQuantity } = input
  if (typeof observedQuantity !== 'number') return undefined
  const quantity = observedQuantity
  return id === undefined
    ? { itemRef: String(itemRef), quantity, by: 'call' }
    : { itemRef: platform.itemOf(Number(id)), quantity, by: 'report' }
}
