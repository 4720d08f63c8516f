import type { Clock } from '../clock/clock.ts'
import { isWithin } from '../clock/within.ts'
import type { Turn, Turns } from './turn.ts'

/** The turns of one agent, in memory: one queue for each key that is busy. */
export class KeyQueues implements Turns {
  readonly #clock: Clock
  /** By key, the functions that release the turns which wait for it. A key that is not here is free. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get waiting(): number {
    return this.#waiting.values().reduce((count, behind) => count + behind.length, 0)
  }

  take(key: string, when: 'join-now' | 'join-later'): Turn {
    let state: 'not-joined' | 'waiting' | 'come' | 'over' = 'not-joined'
    const { promise: hasCome, resolve } = Promise.withResolvers<void>()
    const come = () => {
      state = 'come'
      resolve()
    }
    const join = () => {
      state = 'waiting'
      this.#enter(key, come)
    }
    const wait = async (deadlineMs: number) => {
      if (state === 'not-joined') join()
      return state === 'come' || isWithin(this.#clock, hasCome, deadlineMs)
    }
    if (when === 'join-now') join()
    return {
      mustWait: async () => state === 'waiting',
      waitInAgent: wait,
      wait,
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
}
