/** What may be wrong: something that was promised is not there, something is there twice, or it came to no end. */
export type Harm = 'lost' | 'doubled' | 'stranded' | 'other'

/** The violations that a run has found. */
export class Findings {
  readonly texts: string[] = []
  readonly #counts: Record<Harm, number> = { lost: 0, doubled: 0, stranded: 0, other: 0 }

  add(harm: Harm, text: string, count = 1): void {
    this.#counts[harm] += count
    this.texts.push(`${harm}: ${text}`)
  }

  get counts(): Readonly<Record<Harm, number>> {
    return this.#counts
  }
}
