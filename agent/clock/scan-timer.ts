import { limits } from '../../contract/limits.ts'
import type { Clock } from './clock.ts'

/** Early scans take at most a fifth of the time and are at least this far apart. */
const earlyAfterMs = 5
const restPerScan = 4

/** Times are monotonic, in ms. */
type ScanState =
  | { readonly at: 'new' | 'stopped' }
  | { readonly at: 'scanning'; readonly next: 'usual' | 'early' | 'none'; readonly ended: Promise<void> }
  | { readonly at: 'resting'; readonly dueMs: number; readonly earliestMs: number; readonly cancel: () => void }

/** When to scan: every 200 ms, and earlier when something reports a change. */
export class ScanTimer {
  readonly #clock: Clock
  readonly #scan: () => Promise<void>
  #state: ScanState = { at: 'new' }

  /** @param scan Must not throw. */
  constructor(clock: Clock, scan: () => Promise<void>) {
    this.#clock = clock
    this.#scan = scan
  }

  /** Scans now, and then until it is stopped. Resolves when the first scan has ended. */
  start(): Promise<void> {
    const startedMs = this.#clock.monotonicMs()
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    this.#state = { at: 'scanning', next: 'usual', ended }
    this.#scan()
      .then(() => this.#rest(startedMs))
      .then(resolve, reject)
    return ended
  }

  /** Scans as soon as it may. Several calls count as one. */
  wake(): void {
    const state = this.#state
    if (state.at === 'scanning' && state.next === 'usual') this.#state = { ...state, next: 'early' }
    if (state.at !== 'resting' || state.dueMs <= state.earliestMs) return
    state.cancel()
    this.#restFor(state.earliestMs - this.#clock.monotonicMs(), state.earliestMs)
  }

  /** Resolves when the last scan has ended. */
  async stop(): Promise<void> {
    const state = this.#state
    if (state.at === 'scanning') {
      this.#state = { ...state, next: 'none' }
      await state.ended
    } else {
      if (state.at === 'resting') state.cancel()
      this.#state = { at: 'stopped' }
    }
  }

  #rest(startedMs: number): void {
    if (this.#state.at !== 'scanning') return
    const { next } = this.#state
    if (next === 'none') {
      this.#state = { at: 'stopped' }
      return
    }
    const endedMs = this.#clock.monotonicMs()
    const earlyMs = Math.max(earlyAfterMs, restPerScan * (endedMs - startedMs))
    const usualMs = limits.spoolScanIntervalMs
    this.#restFor(next === 'early' ? Math.min(earlyMs, usualMs) : usualMs, endedMs + earlyMs)
  }

  #restFor(delayMs: number, earliestMs: number): void {
    if (delayMs <= 0) return void this.start()
    const cancel = this.#clock.after(delayMs, () => void this.start())
    this.#state = { at: 'resting', dueMs: this.#clock.monotonicMs() + delayMs, earliestMs, cancel }
  }
}
