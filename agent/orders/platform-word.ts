import type { TransactionTerminal, TransferOrder } from '../../contract/events.ts'
import {
  type PhaseFields,
  phaseOf,
  type TerminalOutcome,
  type TransactionPhase,
  transactionPhases,
  transactionState,
} from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'

/** What `transaction.get`, under our own key, says about a transaction. */
export type PlatformWord =
  | { readonly kind: 'shown'; readonly phase: TransactionPhase; readonly fields: Fields }
  /** The platform itself, and no intermediary, answers that there is no such transaction of this game server. */
  | { readonly kind: 'unknown' }
  /** Nothing is known: no answer, one that is not the interface's, or a state of the future. */
  | { readonly kind: 'unanswered' }

type Fields = Readonly<Record<string, unknown>>

/** What the platform's word means for an order. */
export type Verdict =
  /** It waits for the game server, and contradicts no field of the order. */
  | { readonly kind: 'awaited' }
  /** No delivery is wanted any more. */
  | { readonly kind: 'over'; readonly outcome: TerminalOutcome | null }
  /** A dispute is open, or it was not paid: neither handed over nor closed. */
  | { readonly kind: 'undecided' }
  /** The transaction is not the one of the event. */
  | { readonly kind: 'contradicted'; readonly field: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unanswered' }

/** Reads an answer of `transaction.get`. */
export function wordOf(answer: CallAnswer): PlatformWord {
  if (!answer.ok) return isUnknown(answer) ? { kind: 'unknown' } : { kind: 'unanswered' }
  const state = transactionState.safeParse(JSON.parse(answer.dataText))
  const phase = state.success ? phaseOf(state.data as PhaseFields) : undefined
  return state.success && phase ? { kind: 'shown', phase, fields: state.data } : { kind: 'unanswered' }
}

/** Whether the platform itself says that it has no such transaction for us. What an intermediary answers has a code. */
export function isUnknown(answer: CallAnswer): boolean {
  return !answer.ok && answer.code === undefined && (answer.status === 404 || answer.status === 403)
}

/** What the platform's word means for an order. Fields that it does not show are not compared. */
export function judgeOrder(word: PlatformWord, event: TransferOrder | undefined): Verdict {
  if (word.kind !== 'shown') return word
  const field = (['itemRef', 'quantity', 'buyerCharacterRef'] as const).find((name) => {
    const shown = word.fields[name]
    return event !== undefined && shown !== undefined && shown !== null && shown !== event[name]
  })
  if (field !== undefined) return { kind: 'contradicted', field }
  if (word.phase === 'awaiting-server') return { kind: 'awaited' }
  if (word.phase === 'awaiting-payment' || word.phase === 'disputed') return { kind: 'undecided' }
  return { kind: 'over', outcome: transactionPhases[word.phase].outcome }
}

/** Whether the platform's word confirms a terminal event. */
export function judgeEnd(
  word: PlatformWord,
  event: TransactionTerminal,
): 'confirmed' | Exclude<Verdict, { kind: 'awaited' | 'over' | 'undecided' }> {
  if (word.kind !== 'shown') return word
  for (const field of ['paymentStatus', 'deliveryStatus', 'itemRef'] as const) {
    const shown = word.fields[field]
    if (shown !== undefined && shown !== event[field]) return { kind: 'contradicted', field }
  }
  return 'confirmed'
}
