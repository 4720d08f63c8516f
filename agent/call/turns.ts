import type { Clock } from '../clock/clock.ts'

/** The right to be the one call under way for a key. */
export interface Turn {
  /**
   * Hands the key to the next call, in the order of arrival.
   *
   * @param notBeforeMs Monotonic time before which nobody may follow: an abandoned attempt may still arrive until then.
   */
  release(notBeforeMs?: number): void
}

interface Line {
  readonly waiting: (() => void)[]
  held: boolean
  freeAtMs: number
}

/**
 * Lets calls with the same key pass one after another, so that an older observation never overtakes a newer one. A
 * call waits on its own deadline; one that gives up leaves the line without stopping it.
 */
export class Turns {
  readonly #clock: Clock
  readonly #lines = new Map<string, Line>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns undefined when the deadline (monotonic ms) came first. */
  take(key: string, deadlineMs: number): Promise<Turn | undefined> {
    const known = this.#lines.get(key)
    const line = known ?? { waiting: [], held: false, freeAtMs: 0 }
    const turn: Turn = { release: (notBeforeMs = 0) => this.#release(key, line, notBeforeMs) }
    if (!known) {
      this.#lines.set(key, line)
      line.held = true
      return Promise.resolve(turn)
    }
    return new Promise((resolve) => {
      const enter = () => {
        cancel()
        resolve(turn)
      }
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(enter), 1)
        resolve(undefined)
      }
      const cancel = this.#clock.after(Math.max(0, deadlineMs - this.#clock.monotonicMs()), giveUp)
      line.waiting.push(enter)
      this.#admitNext(key, line)
    })
  }

  #release(key: string, line: Line, notBeforeMs: number): void {
    line.held = false
    line.freeAtMs = Math.max(line.freeAtMs, notBeforeMs)
    const delayMs = line.freeAtMs - this.#clock.monotonicMs()
    if (delayMs > 0) this.#clock.after(delayMs, () => this.#admitNext(key, line))
    else this.#admitNext(key, line)
  }

  #admitNext(key: string, line: Line): void {
    if (line.held || line.freeAtMs > this.#clock.monotonicMs()) return
    const enter = line.waiting.shift()
    if (enter) {
      line.held = true
      enter()
    } else if (this.#lines.get(key) === line) {
      this.#lines.delete(key)
    }
  }
}
