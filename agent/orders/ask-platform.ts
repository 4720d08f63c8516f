import pLimit from 'p-limit'
import { phaseOf, type TerminalOutcome, transactionPhases, transactionState } from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { Clock } from '../clock/clock.ts'
import type { Order } from './order.ts'
import type { OrderBook } from './order-book.ts'

export interface AskPlatformOptions {
  readonly book: OrderBook
  /** `transaction.get`, with its retries. */
  readonly getTransaction: (transactionId: number) => Promise<CallAnswer>
  readonly clock: Clock
  /** The platform's time, Unix ms. */
  readonly platformMs: () => number
  /** An order that came into its phase after this moment (Unix ms) is left for the next time; 'all' asks about each. */
  readonly before: number | 'all'
  /** When it is aborted, answers that come later change nothing. */
  readonly stopping: AbortSignal
}

const questionsMax = 4

/** What came of asking. */
export interface Asked {
  /** Orders that the platform was asked about. */
  readonly asked: number
  /** Those of them about which it gave no answer. Nothing is known of them. */
  readonly unanswered: number
}

/**
 * Asks the platform about the open orders, and offers again what it still waits for. So an order that a game server
 * took and forgot reaches it again. An order that was put off is not offered before its `retryAt`.
 */
export async function askPlatform(options: AskPlatformOptions): Promise<Asked> {
  const due = (await options.book.findOpen()).filter((order) => isDue(order, options))
  const slots = pLimit(questionsMax)
  const verdicts = await Promise.all(due.map((order) => slots(() => askAbout(order, options))))
  return { asked: due.length, unanswered: verdicts.filter((kind) => kind === 'unanswered').length }
}

function isDue(order: Order, { clock, platformMs, before }: AskPlatformOptions): boolean {
  if (before === 'all') return true
  if (order.retryAtMs !== null) return isRetryDue(order, platformMs())
  // An order of the future: the clock was set back.
  return order.sinceMs <= before || order.sinceMs > clock.wallMs()
}

function isRetryDue({ retryAtMs }: Order, platformMs: number): boolean {
  return retryAtMs === null || retryAtMs <= platformMs
}

async function askAbout(order: Order, options: AskPlatformOptions): Promise<Verdict['kind']> {
  const { book, getTransaction, stopping } = options
  if (stopping.aborted) return 'unanswered'
  const mayOffer = isRetryDue(order, options.platformMs())
  const answer = await getTransaction(order.transactionId)
  if (stopping.aborted) return 'unanswered'
  const verdict = judge(answer)
  if (verdict.kind === 'awaited' && mayOffer) await book.remind(order)
  if (verdict.kind === 'over') await book.closeAsked(order, verdict.outcome)
  if (verdict.kind === 'unknown') await book.loseAsked(order)
  return verdict.kind
}

type Verdict =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'over'; readonly outcome: TerminalOutcome | null }
  | { readonly kind: 'unknown' }
  /** Nothing follows: a dispute is open. An order is never closed in doubt. */
  | { readonly kind: 'undecided' }
  | { readonly kind: 'unanswered' }

function judge(answer: CallAnswer): Verdict {
  if (!answer.ok) return answer.status === 404 ? { kind: 'unknown' } : { kind: 'unanswered' }
  const state = transactionState.safeParse(JSON.parse(answer.dataText))
  const phase = state.success ? phaseOf(state.data) : undefined
  if (phase === undefined) return { kind: 'unanswered' }
  if (phase === 'awaiting-server') return { kind: 'awaited' }
  if (phase === 'awaiting-payment' || phase === 'disputed') return { kind: 'undecided' }
  return { kind: 'over', outcome: transactionPhases[phase].outcome }
}
