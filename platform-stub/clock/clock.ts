import type { RealTime } from './real-time.ts'

/** What the rest of the stub may know of time. */
export interface Clock {
  /** The stub's time: Unix ms. */
  nowMs(): number
  /** Milliseconds for durations; no travel moves them. */
  monotonicMs(): number
  /** Runs `wake` once when the stub's time reaches `atMs`, travelled or waited for. Returns its cancellation. */
  at(atMs: number, wake: () => void): () => void
  /** Runs `wake` after a real duration that no travel shortens: how long to wait for somebody outside. */
  after(durationMs: number, wake: () => void): () => void
}

/** Node keeps a timer no longer than this; a later moment is waited for in steps. */
const timerMsMax = 2_000_000_000

interface Alarm {
  readonly atMs: number
  readonly wake: () => void
  cancel: () => void
}

/**
 * The platform's only clock: the machine's, moved by an offset, or standing still at one moment while a journey does
 * what is due there. `Date` headers, exp, the memory of jtis and every due time read it.
 *
 * @see docs/decisions/0012
 */
export class StubClock implements Clock {
  readonly #real: RealTime
  readonly #alarms = new Set<Alarm>()
  #offsetMs: number
  #standingAtMs: number | undefined

  constructor(real: RealTime, offsetMs: number) {
    this.#real = real
    this.#offsetMs = offsetMs
  }

  nowMs(): number {
    return this.#standingAtMs ?? this.#real.nowMs() + this.#offsetMs
  }

  realNowMs(): number {
    return this.#real.nowMs()
  }

  monotonicMs(): number {
    return this.#real.monotonicMs()
  }

  /** How far the stub's time is from the machine's; 0 when it does not travel. */
  get offsetMs(): number {
    return this.#standingAtMs === undefined ? this.#offsetMs : this.#standingAtMs - this.#real.nowMs()
  }

  /** Stops the stub's time at one moment. */
  standAt(atMs: number): void {
    this.#standingAtMs = atMs
  }

  /** Lets the stub's time run on from one moment; alarms that it passed ring. */
  runFrom(atMs: number): void {
    this.runWithOffset(atMs - this.#real.nowMs())
  }

  /** Lets the stub's time run on at a distance from the machine's; 0 is the machine's own. */
  runWithOffset(offsetMs: number): void {
    this.#standingAtMs = undefined
    this.#offsetMs = offsetMs
    for (const alarm of this.#alarms) {
      alarm.cancel()
      this.#arm(alarm)
    }
  }

  at(atMs: number, wake: () => void): () => void {
    const alarm: Alarm = { atMs, wake, cancel: () => undefined }
    this.#alarms.add(alarm)
    this.#arm(alarm)
    return () => {
      alarm.cancel()
      this.#alarms.delete(alarm)
    }
  }

  after(durationMs: number, wake: () => void): () => void {
    return this.#real.setTimer(durationMs, wake)
  }

  #arm(alarm: Alarm): void {
    const remainingMs = Math.max(0, alarm.atMs - this.nowMs())
    alarm.cancel = this.#real.setTimer(Math.min(remainingMs, timerMsMax), () => {
      if (this.nowMs() < alarm.atMs) return this.#arm(alarm)
      this.#alarms.delete(alarm)
      alarm.wake()
    })
  }
}
