import type { Cell } from './cell.ts'
import type { SignatureSpeed } from './signature-speed.ts'
import type { WayLetter } from './ways.ts'
import type { Work } from './work.ts'

/** What is measured here, each a table. */
export type SignedWork = Exclude<Work, 'idempotent'>

/** The cells of one kind of work. (f) takes one call at a time, and none of those that need a connection of their own. */
export type Cells = Readonly<Record<Exclude<WayLetter, 'f'>, Cell>> & { readonly f: Cell | undefined }

/** All that was measured within seconds of each other, so that ratios inside it hold whatever the machine does. */
export interface Group {
  readonly inFlight: number
  readonly signingInPlace: SignatureSpeed
  readonly signingOnPool: SignatureSpeed
  readonly cells: Readonly<Record<SignedWork, Cells>>
}

/** Each round's groups, one for each number of calls in flight. */
export type Rounds = readonly (readonly Group[])[]
