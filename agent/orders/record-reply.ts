import type { OrderReply } from '../../contract/order-reply.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { takeReply } from './order-changes.ts'

/** The effect of a reply of the game server: the order, or why it does not count. */
export type Replied = Order | 'unknown' | 'closed' | 'contradicts'

/**
 * Makes a reply of the game server durable, with its observation. The first result counts.
 *
 * @param generation Of the offer that the game server answers, where that is known. A reply to an earlier one changes nothing.
 * @throws {StoreFullError} There is no space, and nothing was changed.
 */
export async function recordReply(
  book: OrderBook,
  log: Pick<Log, 'warn'>,
  transactionId: number,
  reply: OrderReply,
  generation?: number,
): Promise<Replied> {
  const { result, observedQuantity } = reply
  const observedMark = await book.ledger.drawMark()
  let refused = 'unknown' as Exclude<Replied, Order>
  const order = await book.change(
    transactionId,
    (known, nowMs) => {
      if (!known || known.phase === 'received' || (generation ?? known.generation) !== known.generation)
        return undefined
      refused = result !== null && known.result !== null && known.result !== result ? 'contradicts' : 'closed'
      return takeReply(reply)(known, nowMs)
    },
    { observedQuantity, observedMark },
  )
  if (refused === 'contradicts')
    log.warn({ transactionId, result, cure: cures.replyOneResult() }, 'a result contradicts the first one')
  return order ?? refused
}
