import { type ListingStatus, listingMoves } from '../../../contract/listing.ts'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { phaseTones } from './phase-view.ts'

/** A state machine as it is drawn. */
export interface Machine<State extends string> {
  readonly name: string
  readonly states: readonly MachineState<State>[]
  readonly moves: readonly MachineMove<State>[]
}

/** A state with what stands in it, line by line, and what it feels like. */
export interface MachineState<State extends string> {
  readonly state: State
  readonly lines: readonly string[]
  readonly tone: string
}

/** One way out of a state; two triggers between the same states are two moves. */
export interface MachineMove<State extends string> {
  readonly from: State
  readonly to: State
  readonly trigger: string
}

/** The life of a transaction, out of the contract's table: a phase for each pair of axes. */
export const transactionMachine: Machine<TransactionPhase> = {
  name: 'Transaction',
  states: entriesOf(transactionPhases).map(([state, { paymentStatus, deliveryStatus, outcome }]) => ({
    state,
    lines: [paymentStatus, deliveryStatus ?? 'null', ...(outcome ? [outcome] : [])],
    tone: phaseTones[state],
  })),
  moves: entriesOf(transactionMoves).flatMap(([from, moves]) =>
    entriesOf(moves).flatMap(([trigger, to]) =>
      (to === 'where-it-was' ? cameFrom(from) : [to]).map((state) => ({
        from,
        to: state as TransactionPhase,
        trigger,
      })),
    ),
  ),
}

/** The life of a listing. */
export const listingMachine: Machine<ListingStatus> = {
  name: 'Listing',
  states: entriesOf(listingMoves).map(([state]) => ({
    state,
    lines: [state],
    tone: state === 'ACTIVE' ? 'good' : 'calm',
  })),
  moves: entriesOf(listingMoves).flatMap(([from, moves]) =>
    entriesOf(moves).flatMap(([trigger, to]) => (to === null ? [] : [{ from, to, trigger }])),
  ),
}

/** The phases that lead into one, which is where a rejected dispute may lead back to. */
function cameFrom(phase: TransactionPhase): TransactionPhase[] {
  return entriesOf(transactionMoves).flatMap(([from, moves]) => (Object.values(moves).includes(phase) ? [from] : []))
}

function entriesOf<Key extends string, Value>(record: Readonly<Partial<Record<Key, Value>>>): [Key, Value][] {
  return Object.entries(record) as [Key, Value][]
}
