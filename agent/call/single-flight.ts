import type { CallAnswer } from './answer.ts'

/** Lets calls with equal ids share the one that is under way. */
export class SingleFlight {
  readonly #flights = new Map<string, { readonly fingerprint: string; readonly answer: Promise<CallAnswer> }>()

  /** The call under way with this id, if any. */
  find(id: string): { readonly fingerprint: string; readonly answer: Promise<CallAnswer> } | undefined {
    return this.#flights.get(id)
  }

  /** Runs a call. Equal calls with its id share its answer until it ends. */
  run(id: string, fingerprint: string, call: () => Promise<CallAnswer>): Promise<CallAnswer> {
    const answer = this.#runOnce(id, call())
    this.#flights.set(id, { fingerprint, answer })
    return answer
  }

  async #runOnce(id: string, answer: Promise<CallAnswer>): Promise<CallAnswer> {
    try {
      return await answer
    } finally {
      this.#flights.delete(id)
    }
  }
}
