/** A fault that is put into one file on purpose. */
export interface Mutant {
  /** What the programs do wrong. */
  readonly name: string
  /** From the root of the repository. */
  readonly file: string
  /** Occurs once in the file. */
  readonly from: string
  readonly to: string
  /** Agents that share a store, if it takes that. */
  readonly hosts?: number
}
