import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../witnessed.ts'

/** The stock that a request for the platform has; undefined if it has none. */
export function stockOf(
  { path, input }: SentRequest,
  platform: ModelPlatform,
): { readonly itemRef: string; readonly quantity: number } | undefined {
  const [, id] = /^\/v1\/api\/transactions\/(\d+)\/delivery-failure$/.exec(path) ?? []
  if (id === undefined && path !== '/v1/api/market/listings') return undefined
  const { itemRef, observedQuantity } = input
  if (typeof observedQuantity !== 'number') return undefined
  return { itemRef: id === undefined ? String(itemRef) : platform.itemOf(Number(id)), quantity: observedQuantity }
}
