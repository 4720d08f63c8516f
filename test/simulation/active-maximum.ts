/** The largest of the values that are active now, such as the delays that several faults cause at once. */
export class ActiveMaximum {
  readonly #usual: number
  readonly #active = new Set<{ readonly value: number }>()

  /** @param usual What holds if nothing larger is active. */
  constructor(usual: number) {
    this.#usual = usual
  }

  get value(): number {
    return Math.max(this.#usual, ...[...this.#active].map(({ value }) => value))
  }

  /** The returned function ends it. */
  add(value: number): () => void {
    const added = { value }
    this.#active.add(added)
    return () => void this.#active.delete(added)
  }
}
