import type { Clock } from '../clock/clock.ts'
import type { Database } from './database.ts'

/** Between two looks, because a notification can be lost. */
const lookMs = 1_000

/** Tells when it is time to look at the store again: at a notification, and each second. */
export class Bell implements Disposable {
  readonly #clock: Clock
  readonly #stop: () => void
  #hasRung = false
  #wake: () => void = () => undefined

  constructor(database: Database, clock: Clock, payload: string) {
    this.#clock = clock
    this.#stop = database.listen((heard) => {
      if (heard !== undefined && heard !== payload) return
      this.#hasRung = true
      this.#wake()
    })
  }

  /** Resolves to true when it is time to look, or to false at the deadline (monotonic ms). */
  async rings(deadlineMs: number): Promise<boolean> {
    const restMs = deadlineMs - this.#clock.monotonicMs()
    if (restMs <= 0) return false
    if (!this.#hasRung) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      const cancel = this.#clock.after(Math.min(lookMs, restMs), resolve)
      await promise
      cancel()
    }
    this.#hasRung = false
    return this.#clock.monotonicMs() < deadlineMs
  }

  [Symbol.dispose](): void {
    this.#stop()
  }
}
