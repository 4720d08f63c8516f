import type { CallAnswer } from './answer.ts'

/** Lets equal ids under way share one call. */
export class SingleFlight {
  readonly #flights = new Map<string, { readonly fingerprint: string; readonly answer: Promise<CallAnswer> }>()

  /** The call under way with this id, if any. */
  find(id: string): { readonly fingerprint: string; readonly answer: Promise<CallAnswer> } | undefined {
    return this.#flights.get(id)
  }

  /** Runs a call that others with its id will share. */
  run(id: string, fingerprint: string, call: () => Promise<CallAnswer>): Promise<CallAnswer> {
    const answer = this.#landing(id, call())
    this.#flights.set(id, { fingerprint, answer })
    return answer
  }

  async #landing(id: string, answer: Promise<CallAnswer>): Promise<CallAnswer> {
    try {
      return await answer
    } finally {
      this.#flights.delete(id)
    }
  }
}
