import pLimit from 'p-limit'
import { phaseOf, type TerminalOutcome, transactionPhases, transactionState } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import type { Log } from '../log/log.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'

export interface AskPlatformOptions {
  readonly book: OrderBook
  /** `transaction.get`, with its retries. */
  readonly getTransaction: (transactionId: number) => Promise<CallAnswer>
  readonly clock: Clock
  readonly log: Log
  /** The platform's time, Unix ms. */
  readonly platformMs: () => number
  /** An order that came into its phase at this moment (Unix ms) or later is left for the next time. */
  readonly beforeMs: number
  /** When it is aborted, answers that come later change nothing. */
  readonly stopping: AbortSignal
}

const questionsMax = 4

/**
 * Asks the platform about every open order, and offers again what it still waits for. So an order that a game server
 * took and forgot reaches it again. An order that was put off is left until its `retryAt`.
 */
export async function askPlatform(options: AskPlatformOptions): Promise<void> {
  const due = (await options.book.findOpen()).filter((order) => isDue(order, options))
  const slots = pLimit(questionsMax)
  await Promise.all(due.map((order) => slots(() => askAbout(order, options))))
}

function isDue({ retryAtMs, sinceMs }: Order, { clock, platformMs, beforeMs }: AskPlatformOptions): boolean {
  if (retryAtMs !== null) return retryAtMs <= platformMs()
  // An order of the future: the clock was set back.
  return sinceMs < beforeMs || sinceMs > clock.wallMs()
}

async function askAbout(order: Order, options: AskPlatformOptions): Promise<void> {
  const { book, getTransaction, log, stopping } = options
  if (stopping.aborted) return
  const answer = await getTransaction(order.transactionId)
  if (stopping.aborted) return
  const verdict = judge(answer)
  switch (verdict.kind) {
    case 'awaited':
      return void (await book.remind(order))
    case 'over':
      return void (await book.closeAsked(order, verdict.outcome))
    case 'unknown': {
      const lost = await book.loseAsked(order)
      if (lost?.phase !== 'lost') return
      const cure = 'the platform does not know this transaction: check SERVICE_BASE_URL and the API key'
      return log.warn({ transactionId: order.transactionId, cure }, 'order closed: the platform answers 404')
    }
    case 'undecided':
  }
}

type Verdict =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'over'; readonly outcome: TerminalOutcome | null }
  | { readonly kind: 'unknown' }
  /** Nothing follows: a dispute is open, or there was no answer. An order is never closed in doubt. */
  | { readonly kind: 'undecided' }

function judge(answer: CallAnswer): Verdict {
  if (!answer.ok) return answer.status === 404 ? { kind: 'unknown' } : { kind: 'undecided' }
  const state = transactionState.safeParse(JSON.parse(answer.dataText))
  const phase = state.success ? phaseOf(state.data) : undefined
  if (phase === undefined) return { kind: 'undecided' }
  if (phase === 'awaiting-server') return { kind: 'awaited' }
  if (phase === 'awaiting-payment' || phase === 'disputed') return { kind: 'undecided' }
  return { kind: 'over', outcome: transactionPhases[phase].outcome }
}
