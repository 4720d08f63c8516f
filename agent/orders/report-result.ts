import type { LimitedLog } from '../log/limited-log.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'
import { dropDetail } from './order-changes.ts'
import type { OrderLedger } from './order-ledger.ts'
import type { OrdersPlatform } from './platform-port.ts'
import { isRefused } from './platform-word.ts'
import type { Questions } from './questions.ts'

export interface ReportDeps {
  readonly book: Pick<OrderBook, 'change'> & { readonly ledger: Pick<OrderLedger, 'observationOf'> }
  readonly platform: OrdersPlatform
  readonly questions: Pick<Questions, 'ask'>
  readonly limitedLog: Pick<LimitedLog, 'warn'>
}

/**
 * Reports what the game server said about an order, once. The ledger learns from the answer as it learns from a report
 * of the game server's own. A refusal says that the platform's state is another one, so the platform is asked for it.
 *
 * @returns For how long the platform asked to wait, in ms.
 */
export async function reportResult(order: Order, isFirst: boolean, deps: ReportDeps): Promise<number> {
  const { transactionId, itemRef, result, detail } = order
  const known = await deps.book.ledger.observationOf(itemRef)
  const observedQuantity = known?.quantity ?? 0
  const failure = { transactionId, reason: result, observedQuantity, ...(detail !== null && { detail }) }
  const { answer, retryAfterMs } =
    result === 'DELIVERED'
      ? await deps.platform.call('transaction.delivery', { transactionId })
      : await deps.platform.call('transaction.delivery-failure', failure, known?.mark ?? 0)
  if (!answer.ok && isFirst) {
    const message = JSON.parse(answer.messageText) as string
    const line = { transactionId, itemRef, result, status: answer.status, message }
    deps.limitedLog.warn(line, 'a result was not accepted by the platform at the first report')
  }
  if (isRefused(answer, [400, 413, 422])) await deps.book.change(transactionId, dropDetail(order))
  if (isRefused(answer)) await deps.questions.ask(order)
  return retryAfterMs ?? 0
}
