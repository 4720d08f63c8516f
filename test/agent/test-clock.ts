import type { Clock } from '../../agent/clock/clock.ts'

/** A clock that stands still until a test or a sleep moves it. A sleep takes no time and moves it by its length. */
export class TestClock implements Clock {
  wallOffsetMs = Date.UTC(2026, 10, 21, 12)
  /** The length of every sleep so far. */
  readonly sleptMs: number[] = []
  /** Called before a sleep ends. */
  onSleep: () => void | Promise<void> = () => undefined
  #nowMs = 1_000
  #waiting: { count: number; resolve: () => void }[] = []
  readonly #timers = new Set<{ atMs: number; callback: () => void }>()

  wallMs(): number {
    return this.wallOffsetMs + this.#nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback }
    this.#timers.add(timer)
    this.#waiting = this.#waiting.filter(({ count, resolve }) => this.#timers.size < count || void resolve())
    return () => this.#timers.delete(timer)
  }

  async sleep(delayMs: number): Promise<void> {
    this.sleptMs.push(delayMs)
    this.advance(delayMs)
    await this.onSleep()
    await new Promise(setImmediate)
  }

  /** How many timers run. */
  get timersRunning(): number {
    return this.#timers.size
  }

  /** Resolves as soon as that many timers run. */
  async timers(count: number): Promise<void> {
    if (this.#timers.size >= count) return
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
  }

  /** Moves time; what comes due is called in order, at its own moment. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (!due) break
      this.#timers.delete(due)
      this.#nowMs = Math.max(this.#nowMs, due.atMs)
      due.callback()
    }
    this.#nowMs = endMs
  }
}
