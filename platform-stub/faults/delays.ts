import type { Clock } from '../clock/clock.ts'

/** The waiting that faults cause: real time, bounded by the stub's own end. */
export class Delays {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  #isOver = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the time has passed, when it is broken off, or when the stub ends. */
  pass(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#isOver || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const goOn = (): void => {
        cancel()
        signal?.removeEventListener('abort', goOn)
        this.#waiting.delete(goOn)
        resolve()
      }
      const cancel = this.#clock.after(durationMs, goOn)
      signal?.addEventListener('abort', goOn)
      this.#waiting.add(goOn)
    })
  }

  /** Ends every delay at once. */
  breakOff(): void {
    for (const goOn of this.#waiting) goOn()
  }

  /** Ends every delay, and those to come: the stub ends. */
  end(): void {
    this.#isOver = true
    this.breakOff()
  }
}
