/** A step did not do what it says. Named, so that a person knows where to look. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
}

let number = 0

/** Does one step and prints a line for it: what was done, and the result. */
export async function step<Result>(
  what: string,
  act: () => Promise<Result>,
  tell?: (result: Result) => string,
): Promise<Result> {
  number++
  const label = `${String(number).padStart(2)}  ${what}`
  try {
    const result = await act()
    console.log(`${label.padEnd(64)} ${tell ? tell(result) : 'ok'}`)
    return result
  } catch (error) {
    throw new StepFailed(`step ${number}, ${what}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** @throws {Error} The condition is not true. */
export function expectThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise)
}

/** An amount in cents as Brazilians write it. */
export function inReais(cents: number): string {
  return new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' }).format(cents / 100)
}
