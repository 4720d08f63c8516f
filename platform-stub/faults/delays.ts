import type { Clock } from '../clock/clock.ts'

/** The waiting that faults cause: real time, bounded by the stub's own end. */
export class Delays {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  #isEnded = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether the stub ends. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Resolves when the time has passed, when it is broken off, or when the stub ends.
   *
   * @returns The milliseconds that were left.
   */
  pass(durationMs: number, signal?: AbortSignal): Promise<number> {
    if (this.#isEnded || signal?.aborted) return Promise.resolve(durationMs)
    const overMs = this.#clock.monotonicMs() + durationMs
    return new Promise((resolve) => {
      const goOn = (): void => {
        cancel()
        signal?.removeEventListener('abort', goOn)
        this.#waiting.delete(goOn)
        resolve(Math.max(0, Math.round(overMs - this.#clock.monotonicMs())))
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
    this.#isEnded = true
    this.breakOff()
  }
}
