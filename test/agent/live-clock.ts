import type { Clock } from '../../agent/clock/clock.ts'

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
  handle: NodeJS.Timeout | undefined
}

/** The real clock, which a test can also push ahead: what comes due on the way is called soon after. */
export class LiveClock implements Clock {
  /** Added to the wall clock alone: somebody set it. */
  wallOffsetMs = 0
  /** The delay of every timer that was ever set. */
  readonly delaysMs: number[] = []
  #pushedMs = 0
  readonly #timers = new Set<Timer>()

  wallMs(): number {
    return Date.now() + this.#pushedMs + this.wallOffsetMs
  }

  monotonicMs(): number {
    return performance.now() + this.#pushedMs
  }

  after(delayMs: number, callback: () => void): () => void {
    this.delaysMs.push(delayMs)
    const timer: Timer = { dueMs: this.monotonicMs() + delayMs, callback, handle: undefined }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => {
      clearTimeout(timer.handle)
      this.#timers.delete(timer)
    }
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(delayMs, resolve)
    })
  }

  /** Lets that much time pass at once. */
  advance(ms: number): void {
    this.#pushedMs += ms
    for (const timer of this.#timers) this.#arm(timer)
  }

  #arm(timer: Timer): void {
    clearTimeout(timer.handle)
    timer.handle = setTimeout(
      () => {
        this.#timers.delete(timer)
        timer.callback()
      },
      Math.max(0, timer.dueMs - this.monotonicMs()),
    )
  }
}
