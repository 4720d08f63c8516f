import type { Sale } from './platform.ts'

/** What happened to the order of a sale, by the number of the event. */
interface Trace {
  /** From here on only a new reply answers the platform: our 2xx has left, or TEMPORARY was reported. */
  resetAt: number
  /** The last reply to an offer that was made after the reset. */
  replyAt: number
  putOffAt: number
  /** Webhooks that the agent received. */
  readonly receivedAt: number[]
}

/** What was seen from outside. */
export class Traces {
  /** Faults that a check in the background found. */
  readonly bugs: string[] = []
  /** The newest observation of each item; undefined while it is not known whether the agent has it. */
  readonly observed = new Map<string, number | undefined>()
  readonly #of = new Map<Sale, Trace>()
  #event = 0

  /** The number of the next event. */
  next(): number {
    return ++this.#event
  }

  of(sale: Sale): Trace {
    const trace = this.#of.get(sale) ?? { resetAt: 0, replyAt: -1, putOffAt: 0, receivedAt: [] }
    this.#of.set(sale, trace)
    return trace
  }
}
