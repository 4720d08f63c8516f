import { limits } from '../../../../contract/limits.ts'
import type { HostClock } from '../../host-clock.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'
import { isRepetition } from './repetition.ts'

interface NewIdParts extends ProcessParts {
  /** Of the agent's host. */
  readonly clock: Pick<HostClock, 'lastSetMs'>
}

/** What a clock may drift in that time, and what a call takes. */
const leewayMs = 15_000

/** An id is new again after ten minutes: a program that counts its ids from 1 each day gets no answer of yesterday. */
export class NewIdPromises implements Partial<AgentWitness> {
  readonly #parts: NewIdParts
  /** The calls that have no answer yet, and when they came. */
  readonly #takenMs = new Map<GivenCall, number>()
  /** When the answer to an id was stored, at the latest. */
  readonly #storedMs = new Map<string, number>()
  /** The first start since the clock was set: each window that it finds may last for ten minutes from then on. */
  #firstStart: { readonly setMs: number | undefined; readonly startedMs: number } | undefined

  constructor(parts: NewIdParts) {
    this.#parts = parts
  }

  onTaken(call: GivenCall): void {
    const { nowMs, startedMs } = this.#parts
    this.#noteStart()
    // A process that was killed may have stored an answer that it has not given.
    for (const [earlier, takenMs] of this.#takenMs) {
      if (takenMs >= startedMs()) break
      this.#takenMs.delete(earlier)
      if (earlier.id !== undefined) this.#storedMs.set(earlier.id, startedMs())
    }
    this.#takenMs.set(call, nowMs())
  }

  onGiven(call: GivenCall, text: string): void {
    const { nowMs } = this.#parts
    const takenMs = this.#takenMs.get(call)
    this.#takenMs.delete(call)
    const { id } = call
    if (id === undefined || takenMs === undefined) return
    if (!isRepetition(text)) {
      this.#storedMs.set(id, nowMs())
      return
    }
    const storedMs = this.#storedMs.get(id)
    if (storedMs === undefined) return
    const beganMs = Math.max(storedMs, this.#firstStart?.startedMs ?? storedMs)
    if (takenMs > beganMs + limits.idempotencyWindowMs + leewayMs)
      this.#parts.break('an id is new again after its window', `${id}: ${text}`)
  }

  #noteStart(): void {
    const { clock, startedMs } = this.#parts
    const setMs = clock.lastSetMs
    if (setMs === undefined || setMs === this.#firstStart?.setMs) return
    // Until the next start nothing follows from it.
    const isStartedSince = startedMs() > setMs
    this.#firstStart = isStartedSince ? { setMs, startedMs: startedMs() } : { setMs: undefined, startedMs: setMs }
  }
}
