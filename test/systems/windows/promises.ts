/** A few promises about one thing. */
export interface PromiseGroup {
  /** Its name on the command line. */
  readonly name: string
  readonly test: (holds: Holds) => Promise<void>
}

/** Tests one promise and prints a line for it, with the text that the test returns. A failure is counted and not thrown. */
export type Holds = (promise: string, test: () => Promise<unknown>) => Promise<void>

/** How many promises were kept and broken. */
export interface Tally {
  kept: number
  broken: number
}

/** @returns The function that tests promises and counts them. */
export function counting(tally: Tally): Holds {
  return async (promise, test) => {
    try {
      const remark = await test()
      tally.kept++
      console.log(`ok: ${promise}${typeof remark === 'string' ? ` (${remark})` : ''}`)
    } catch (error) {
      tally.broken++
      console.log(`FAILED: ${promise}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}
