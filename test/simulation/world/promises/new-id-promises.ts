import { limits } from '../../../../contract/limits.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'
import { isRepetition } from './repetition.ts'

/** What a clock may drift in that time, and what a call takes. */
const leewayMs = 15_000

/** An id is new again after ten minutes: a program that counts its ids from 1 each day gets no answer of yesterday. */
export class NewIdPromises implements Partial<AgentWitness> {
  readonly #parts: ProcessParts
  readonly #takenMs = new WeakMap<GivenCall, number>()
  /** When an answer to an id was given last that is not a repetition. */
  readonly #answeredMs = new Map<string, number>()

  constructor(parts: ProcessParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    this.#takenMs.set(call, this.#parts.nowMs())
  }

  onGiven(call: GivenCall, text: string): void {
    const { nowMs, startedMs } = this.#parts
    const { id } = call
    if (id === undefined) return
    if (!isRepetition(text)) {
      this.#answeredMs.set(id, nowMs())
      return
    }
    // A process that was killed may have stored an answer that it has not given.
    const storedMs = Math.max(this.#answeredMs.get(id) ?? Number.NEGATIVE_INFINITY, startedMs())
    if ((this.#takenMs.get(call) ?? 0) > storedMs + limits.idempotencyWindowMs + leewayMs)
      this.#parts.break('an id is new again after its window', `${id}: ${text}`)
  }
}
