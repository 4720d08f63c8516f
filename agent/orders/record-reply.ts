import type { OrderReply, OrderResult } from '../../contract/order-reply.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { cureOfLateResult, takeReply } from './order-changes.ts'

/** The effect of a reply of the game server: the order, or why it does not count. */
export type Replied = Order | NotCounted
type NotCounted = 'unknown' | 'closed' | 'contradicts'

/**
 * Makes a reply of the game server durable, with its observation. The first result counts. Of one that comes too late the log says
 * what staff must do.
 *
 * @param generation Of the offer that the game server answers, where that is known. A reply to an earlier one changes nothing.
 * @throws {StoreFullError} There is no space, and nothing was changed.
 */
export async function recordReply(
  book: OrderBook,
  log: ResultLog,
  transactionId: number,
  reply: OrderReply,
  generation?: number,
): Promise<Replied> {
  const { result, observedQuantity } = reply
  const observedMark = await book.ledger.drawMark()
  let before: Order | undefined
  const order = await book.change(
    transactionId,
    (known, nowMs) => {
      if (!known || known.phase === 'received' || (generation ?? known.generation) !== known.generation)
        return undefined
      before = known
      return takeReply(reply)(known, nowMs)
    },
    { observedQuantity, observedMark },
  )
  return order ?? (before ? reportLateResult(log, before, result) : 'unknown')
}

type ResultLog = Pick<Log, 'warn'>

/** Logs a result that does not count, and what staff must do: the game server has acted on it. @param known The order as it stays. */
export function reportLateResult(log: ResultLog, known: Order, result: OrderResult | null): NotCounted {
  const { transactionId } = known
  const isContradiction = result !== null && known.result !== null && known.result !== result
  const cure = result !== null && result !== known.result ? cureOfLateResult(known, result) : undefined
  if (isContradiction)
    log.warn({ transactionId, result, cure: cure ?? cures.replyOneResult() }, 'a result contradicts the first one')
  else if (cure !== undefined) log.warn({ transactionId, result, cure }, 'a result came after the order was over')
  return isContradiction ? 'contradicts' : 'closed'
}
