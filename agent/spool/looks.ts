import { limits } from '../../contract/limits.ts'
import type { Clock } from '../clock/clock.ts'

/** Looks that are woken early take at most a fifth of the time, and come no closer than this. */
const wokenAfterMs = 5
const restPerLook = 4

/** When to look: every 200 ms, and earlier when somebody knows of a reason to. */
export class Looks {
  readonly #clock: Clock
  readonly #look: () => Promise<void>
  #isOver = false
  #isLooking = false
  #isWoken = false
  #looking: Promise<void> = Promise.resolve()
  #notBeforeMs = 0
  #dueMs = 0
  #cancel: () => void = () => undefined

  /** @param look Must not throw. */
  constructor(clock: Clock, look: () => Promise<void>) {
    this.#clock = clock
    this.#look = look
  }

  /** Looks now, and from then on until it is stopped. */
  start(): Promise<void> {
    this.#looking = this.#turn()
    return this.#looking
  }

  /** Looks as soon as it may, instead of at the next turn. Being woken often is being woken once. */
  wake(): void {
    if (this.#isLooking) this.#isWoken = true
    else if (!this.#isOver && this.#dueMs > this.#notBeforeMs) this.#lookIn(this.#wokenDelayMs())
  }

  /** Resolves when the last look has ended. */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#cancel()
    await this.#looking
  }

  async #turn(): Promise<void> {
    this.#cancel()
    this.#isLooking = true
    this.#isWoken = false
    const startedMs = this.#clock.monotonicMs()
    await this.#look()
    this.#isLooking = false
    if (this.#isOver) return
    const endedMs = this.#clock.monotonicMs()
    this.#notBeforeMs = endedMs + Math.max(wokenAfterMs, restPerLook * (endedMs - startedMs))
    this.#lookIn(this.#isWoken ? this.#wokenDelayMs() : limits.spoolScanIntervalMs)
  }

  #wokenDelayMs(): number {
    return Math.min(this.#notBeforeMs - this.#clock.monotonicMs(), limits.spoolScanIntervalMs)
  }

  #lookIn(delayMs: number): void {
    this.#cancel()
    this.#dueMs = this.#clock.monotonicMs() + delayMs
    if (delayMs <= 0) void this.start()
    else this.#cancel = this.#clock.after(delayMs, () => void this.start())
  }
}
