import * as z from 'zod/mini'
import { observation } from './fields.ts'

/** What a game server can say about an order that it was given. */
export const orderResults = ['DELIVERED', 'OUT_OF_STOCK', 'TEMPORARY'] as const
export type OrderResult = (typeof orderResults)[number]

/** The fields of a reply, for `orders.take` as well. */
export const orderReplyFields = {
  observedQuantity: observation,
  result: z.optional(
    z.nullable(
      z
        .enum(orderResults)
        .check(
          z.describe(
            'What became of the order. The agent reports it to the platform until it is accepted. `DELIVERED`: the item is durably with the buyer. Without it the game server reports by itself.',
          ),
        ),
    ),
  ),
  detail: z.optional(
    z.nullable(z.string().check(z.describe('For logs and the staff, with `OUT_OF_STOCK` and `TEMPORARY`.'))),
  ),
}

const bareReply = z.looseObject(orderReplyFields)

/** The reply of a game server to an order. */
export interface OrderReply {
  readonly observedQuantity: number
  /** Null where the game server reports by itself. */
  readonly result: OrderResult | null
  readonly detail: string | null
}

/** The reply in a value, bare or under `data`; undefined where it is not one. */
export function orderReplyOf(value: unknown): OrderReply | undefined {
  for (const candidate of [value, (value as { data?: unknown } | null)?.data]) {
    const { data } = bareReply.safeParse(candidate)
    if (data)
      return { observedQuantity: data.observedQuantity, result: data.result ?? null, detail: data.detail ?? null }
  }
  return undefined
}
