/** Something that does not work: facts where it is found, a sentence only where it is shown. No text ends with a full stop. */
export interface Problem {
  /** What it is about: a setting, or a place in a file. */
  readonly name: string
  readonly problem: string
  /** From `cures`. */
  readonly cure: string
}

/** A problem as one line. */
export function sentenceOf({ name, problem, cure }: Problem): string {
  return `${name}: ${problem}. ${asSentence(cure)}`
}

/** A cure behind a full stop. */
export function asSentence(cure: string): string {
  return `${cure.charAt(0).toUpperCase()}${cure.slice(1)}`
}
