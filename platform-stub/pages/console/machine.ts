import { type ListingStatus, listingMoves } from '../../../contract/listing.ts'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { type Drawing, listingDrawing, transactionDrawing } from './machine-drawing.ts'
import { phaseTones } from './phase-view.ts'

/** A state machine with the place of each part; sizes in CSS pixels. */
export interface Machine<State extends string> {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly states: readonly MachineState<State>[]
  readonly moves: readonly MachineMove<State>[]
}

/** A state: `x` and `y` are its middle. */
export interface MachineState<State extends string> {
  readonly state: State
  readonly lines: readonly string[]
  /** Triggers that lead from the state to itself. */
  readonly stays: readonly string[]
  readonly tone: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A move from one state to another. Two triggers between the same states are two moves. */
export interface MachineMove<State extends string> {
  readonly from: State
  readonly to: State
  readonly trigger: string
  /** SVG path. */
  readonly line: string
  readonly x: number
  readonly y: number
}

/** The life of a transaction, from the contract's table: one phase for each pair of statuses. */
export const transactionMachine = machineOf<TransactionPhase>(
  'Transaction',
  transactionDrawing,
  transactionMoves,
  (phase) => {
    const { paymentStatus, deliveryStatus, outcome } = transactionPhases[phase]
    return [paymentStatus, deliveryStatus ?? 'null', ...(outcome ? [outcome] : [])]
  },
  (phase) => phaseTones[phase],
)

/** The life of a listing. */
export const listingMachine = machineOf<ListingStatus>(
  'Listing',
  listingDrawing,
  listingMoves,
  (status) => [status],
  (status) => (status === 'ACTIVE' ? 'good' : 'calm'),
)

function machineOf<State extends string>(
  name: string,
  drawing: Drawing<State>,
  table: Readonly<Record<State, Readonly<Record<string, State | 'where-it-was' | null>>>>,
  linesOf: (state: State) => readonly string[],
  toneOf: (state: State) => string,
): Machine<State> {
  const rows = Object.entries(table) as [State, Readonly<Record<string, State | 'where-it-was' | null>>][]
  /** A rejected dispute leads back to one of the states that a dispute comes from. */
  const targetsOf = (from: State, to: State | 'where-it-was' | null): State[] => {
    if (to === 'where-it-was') return rows.flatMap(([state, row]) => (Object.values(row).includes(from) ? [state] : []))
    return to === null ? [] : [to]
  }
  const moves = rows.flatMap(([from, row]) =>
    Object.entries(row).flatMap(([trigger, to]) =>
      targetsOf(from, to).map((target) => ({ from, trigger, to: target })),
    ),
  )
  return {
    name,
    width: drawing.width,
    height: drawing.height,
    states: rows.map(([state]) => {
      const lines = linesOf(state)
      const stays = moves.filter(({ from, to }) => from === state && to === state).map(({ trigger }) => trigger)
      const [x, y] = drawing.states[state]
      return {
        state,
        lines,
        stays,
        tone: toneOf(state),
        x,
        y,
        width: 160,
        height: 22 + 17 * (lines.length + stays.length),
      }
    }),
    moves: moves.flatMap((move) => {
      const drawn = drawing.moves[`${move.from} ${move.trigger} ${move.to}`]
      return drawn ? [{ ...move, line: drawn.line, x: drawn.label[0], y: drawn.label[1] }] : []
    }),
  }
}
