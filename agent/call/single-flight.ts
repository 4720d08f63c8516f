import type { CallAnswer } from './answer.ts'

/** A call with an id that is under way. */
interface Flight {
  readonly fingerprint: string
  readonly answer: Promise<CallAnswer>
  /** Whether it has the id, as soon as that is known. False if it ended without the id. */
  readonly hasId: Promise<boolean>
}

/** Lets calls with equal ids share the one that is under way. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>()

  /** The call under way with this id, if any. */
  find(id: string): Flight | undefined {
    return this.#flights.get(id)
  }

  /**
   * Runs a call. Equal calls with its id share its answer until it ends.
   *
   * @param call Calls `onHasId` when it is known to have the id.
   */
  run(id: string, fingerprint: string, call: (onHasId: () => void) => Promise<CallAnswer>): Promise<CallAnswer> {
    const { promise: hasId, resolve } = Promise.withResolvers<boolean>()
    const answer = call(() => resolve(true)).finally(() => {
      this.#flights.delete(id)
      resolve(false)
    })
    this.#flights.set(id, { fingerprint, answer, hasId })
    return answer
  }
}
