import type { TransactionTerminal, TransferOrder } from '../../contract/events.ts'
import {
  type PhaseFields,
  phaseOf,
  type TransactionPhase,
  transactionPhases,
  transactionState,
} from '../../contract/transaction.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { PlatformEnd } from './order-changes.ts'
import { contradiction, type ShownFields } from './shown-fields.ts'

/** What `transaction.get`, under our own key, says about a transaction. */
export type PlatformWord =
  | { readonly kind: 'shown'; readonly phase: TransactionPhase; readonly fields: ShownFields }
  /** The platform itself, and no intermediary, answers that there is no such transaction of this game server. */
  | { readonly kind: 'unknown' }
  /** Nothing is known: no answer, one that is not the interface's, or a state of the future. */
  | { readonly kind: 'unanswered' }

/** What the platform's word means for an order. */
export type Verdict =
  /** It waits for the game server and contradicts no field of the order. */
  | { readonly kind: 'awaited' }
  /** No delivery is wanted any more. */
  | ({ readonly kind: 'over' } & PlatformEnd)
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

/** Whether the platform itself refused a call for its content. An answer of an intermediary has a code. */
export function isRefused(answer: CallAnswer, statuses: readonly number[] = [400, 403, 404, 409, 422]): boolean {
  return !answer.ok && answer.code === undefined && !answer.uncertain && statuses.includes(answer.status)
}

/** Whether the platform itself says that it has no such transaction for us. */
function isUnknown(answer: CallAnswer): boolean {
  return isRefused(answer, [403, 404])
}

/** What the platform's word means for an order. */
export function judgeOrder(word: PlatformWord, event: TransferOrder | undefined): Verdict {
  if (word.kind !== 'shown') return word
  const field = event && contradiction(word.fields, event, ['itemRef', 'quantity', 'buyerCharacterRef'])
  if (field !== undefined) return { kind: 'contradicted', field }
  if (word.phase === 'awaiting-server') return { kind: 'awaited' }
  if (word.phase === 'awaiting-payment' || word.phase === 'disputed') return { kind: 'undecided' }
  return { kind: 'over', ...transactionPhases[word.phase] }
}

/** Whether the platform's word confirms a terminal event. */
export function judgeTerminal(
  word: PlatformWord,
  event: TransactionTerminal,
):
  | { readonly kind: 'confirmed'; readonly fields: ShownFields }
  | Extract<Verdict, { kind: 'unknown' | 'unanswered' | 'contradicted' }> {
  if (word.kind !== 'shown') return word
  const field = contradiction(word.fields, event, ['paymentStatus', 'deliveryStatus', 'itemRef'])
  return field === undefined ? { kind: 'confirmed', fields: word.fields } : { kind: 'contradicted', field }
}
