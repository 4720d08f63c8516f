import { type ListingStatus, listingMoves } from '../../../contract/listing.ts'
import { type TransactionPhase, transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import { type Drawing, listingDrawing, narrowTransactionDrawing, transactionDrawing } from './machine-drawing.ts'
import { phaseTone } from './phase-view.ts'

/** A state machine with the place of each part. Sizes are in CSS pixels; `x` and `y` are the middle of a part. */
export type Machine<State extends string> = ReturnType<typeof machineOf<State>>

/** The life of a transaction, from the contract's table: one phase for each pair of statuses. */
export const transactionMachine = machineOf<TransactionPhase>(
  'transaction',
  transactionDrawing,
  transactionMoves,
  transactionLook,
)

/** The same, drawn for a narrow screen. */
export const narrowTransactionMachine = machineOf<TransactionPhase>(
  'transaction',
  narrowTransactionDrawing,
  transactionMoves,
  transactionLook,
)

/** The life of a listing. */
export const listingMachine = machineOf<ListingStatus>('listing', listingDrawing, listingMoves, (status) => ({
  tone: status === 'ACTIVE' ? 'good' : 'calm',
  lines: [status],
}))

function transactionLook(phase: TransactionPhase) {
  const { paymentStatus, deliveryStatus, outcome } = transactionPhases[phase]
  return { tone: phaseTone(phase), lines: [paymentStatus, deliveryStatus ?? 'null', ...(outcome ? [outcome] : [])] }
}

type Moves<State extends string> = Readonly<Record<string, State | 'where-it-was' | null>>

function machineOf<State extends string>(
  name: 'transaction' | 'listing',
  drawing: Drawing<State>,
  table: Readonly<Record<State, Moves<State>>>,
  lookOf: (state: State) => { readonly tone: string; readonly lines: readonly string[] },
) {
  const rows = Object.entries(table) as [State, Moves<State>][]
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
      const { tone, lines } = lookOf(state)
      // Triggers that lead from the state to itself.
      const stays = moves.filter(({ from, to }) => from === state && to === state).map(({ trigger }) => trigger)
      const [x, y] = drawing.states[state]
      return { state, tone, lines, stays, x, y, width: 160, height: 22 + 17 * (lines.length + stays.length) }
    }),
    moves: moves.flatMap((move) => {
      const drawn = drawing.moves[`${move.from} ${move.trigger} ${move.to}`]
      return drawn ? [{ ...move, line: drawn.line, x: drawn.label[0], y: drawn.label[1] }] : []
    }),
  }
}
