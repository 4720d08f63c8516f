import type { Clock } from '../clock/clock.ts'
import { type Call, orderKeyOf } from './call.ts'
import type { SingleFlight } from './single-flight.ts'

/**
 * A call's position among the calls with the same key. They are sent one after another in the order in which they
 * joined, so that an older observation never overtakes a newer one.
 */
export interface Turn {
  /** An earlier call with the same key is not over yet. */
  readonly mustWait: boolean
  /** Resolves to true when every earlier call is over, or to false at the deadline (monotonic ms). */
  wait(deadlineMs: number): Promise<boolean>
  /** Gives up the position, whether the turn has come or not. A second release does nothing. */
  release(): void
}

/** The turn of a call that waits for no other. */
export const freeTurn: Turn = { mustWait: false, wait: async () => true, release: () => undefined }

/**
 * Takes the turn of a call when it arrives. Both interfaces do this first, and pass the turn to `answerCall`.
 *
 * A call whose id is under way will share that answer, so it joins the queue only if it has to be sent after all.
 */
export function takeTurn(call: Call, deps: { keyQueues: KeyQueues; singleFlight: SingleFlight }): Turn {
  const key = orderKeyOf(call)
  if (key === undefined) return freeTurn
  const isShared = call.id !== undefined && deps.singleFlight.find(call.id) !== undefined
  return deps.keyQueues.takeTurn(key, isShared ? 'join-later' : 'join-now')
}

/** One queue for each key that is busy. */
export class KeyQueues {
  readonly #clock: Clock
  /** By key, the functions that release the turns which wait for it. A key that is not here is free. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Number of calls that wait for an earlier call with their key. */
  get waiting(): number {
    return this.#waiting.values().reduce((count, behind) => count + behind.length, 0)
  }

  /** Takes the next position of a key: now, or when the turn is first waited for. */
  takeTurn(key: string, when: 'join-now' | 'join-later'): Turn {
    let state: 'not-joined' | 'waiting' | 'come' | 'over' = 'not-joined'
    const { promise: hasCome, resolve } = Promise.withResolvers<true>()
    const come = () => {
      state = 'come'
      resolve(true)
    }
    const join = () => {
      state = 'waiting'
      this.#enter(key, come)
    }
    if (when === 'join-now') join()
    return {
      get mustWait() {
        return state === 'waiting'
      },
      wait: async (deadlineMs) => {
        if (state === 'not-joined') join()
        return state === 'come' || this.#within(deadlineMs, hasCome)
      },
      release: () => {
        if (state === 'waiting') this.#leave(key, come)
        if (state === 'come') this.#pass(key)
        state = 'over'
      },
    }
  }

  #enter(key: string, come: () => void): void {
    const waiting = this.#waiting.get(key)
    if (waiting) return void waiting.push(come)
    this.#waiting.set(key, [])
    come()
  }

  #leave(key: string, come: () => void): void {
    const waiting = this.#waiting.get(key) ?? []
    waiting.splice(waiting.indexOf(come), 1)
  }

  #pass(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) next()
    else this.#waiting.delete(key)
  }

  async #within(deadlineMs: number, hasCome: Promise<true>): Promise<boolean> {
    const { promise: isTooLate, resolve } = Promise.withResolvers<false>()
    const cancel = this.#clock.after(Math.max(0, deadlineMs - this.#clock.monotonicMs()), () => resolve(false))
    return Promise.race([hasCome, isTooLate]).finally(cancel)
  }
}
