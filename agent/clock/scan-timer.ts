import { limits } from '../../contract/limits.ts'
import type { Clock } from './clock.ts'

/** Early scans take at most a fifth of the time, and are at least this far apart. */
const earlyAfterMs = 5
const restPerScan = 4

/** When to scan: every 200 ms, and earlier when something reports a change. */
export class ScanTimer {
  readonly #clock: Clock
  readonly #scan: () => Promise<void>
  #isStopped = false
  #isScanning = false
  #isWoken = false
  #scanning: Promise<void> = Promise.resolve()
  #notBeforeMs = 0
  #dueMs = 0
  #cancel: () => void = () => undefined

  /** @param scan Must not throw. */
  constructor(clock: Clock, scan: () => Promise<void>) {
    this.#clock = clock
    this.#scan = scan
  }

  /** Scans now, and then until it is stopped. */
  start(): Promise<void> {
    this.#scanning = this.#scanNow()
    return this.#scanning
  }

  /** Scans as soon as it may. Several calls count as one. */
  wake(): void {
    if (this.#isScanning) this.#isWoken = true
    else if (!this.#isStopped && this.#dueMs > this.#notBeforeMs) this.#scanIn(this.#earlyDelayMs())
  }

  /** Resolves when the last scan has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel()
    await this.#scanning
  }

  async #scanNow(): Promise<void> {
    this.#cancel()
    this.#isScanning = true
    this.#isWoken = false
    const startedMs = this.#clock.monotonicMs()
    await this.#scan()
    this.#isScanning = false
    if (this.#isStopped) return
    const endedMs = this.#clock.monotonicMs()
    this.#notBeforeMs = endedMs + Math.max(earlyAfterMs, restPerScan * (endedMs - startedMs))
    this.#scanIn(this.#isWoken ? this.#earlyDelayMs() : limits.spoolScanIntervalMs)
  }

  #earlyDelayMs(): number {
    return Math.min(this.#notBeforeMs - this.#clock.monotonicMs(), limits.spoolScanIntervalMs)
  }

  #scanIn(delayMs: number): void {
    this.#cancel()
    this.#dueMs = this.#clock.monotonicMs() + delayMs
    if (delayMs <= 0) void this.start()
    else this.#cancel = this.#clock.after(delayMs, () => void this.start())
  }
}
