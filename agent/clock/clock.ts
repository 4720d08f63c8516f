/** The agent's only source of time, so that tests travel instead of sleeping. */
export interface Clock {
  /** Unix time in ms, as this host believes it. Only for what others read: envelopes, timestamps. */
  wallMs(): number
  /** Milliseconds that never run backwards. For every window, timeout and duration. */
  monotonicMs(): number
  /** Calls back once, when `monotonicMs` has grown by at least `delayMs`. The returned function cancels. */
  after(delayMs: number, callback: () => void): () => void
  /** Resolves when `monotonicMs` has grown by at least `delayMs`. */
  sleep(delayMs: number): Promise<void>
  /** Resolves when everything that is due now has had its turn. For long work that lets others in between. */
  nextTurn(): Promise<void>
}

/** Time as the runtime gives it. */
export interface RawTime {
  wallMs(): number
  monotonicMs(): number
  /** Calls back once, at about that time: Node's timers fire up to 1 ms early. The returned function cancels. */
  setTimer(delayMs: number, callback: () => void): () => void
  /** Resolves when everything that is due now has had its turn. */
  nextTurn(): Promise<void>
}

/** Node fires a timer with a longer delay at once. */
const timerDelayMsMax = 2 ** 31 - 1

/** A clock that never calls back early, over timers that may. A timer that fires early is set again for the rest. */
export function clockOver(time: RawTime): Clock {
  const after = (delayMs: number, callback: () => void): (() => void) => {
    const dueMs = time.monotonicMs() + delayMs
    const set = (restMs: number) => time.setTimer(Math.min(restMs, timerDelayMsMax), fire)
    const fire = () => {
      const restMs = dueMs - time.monotonicMs()
      if (restMs > 0) cancel = set(restMs)
      else callback()
    }
    let cancel = set(delayMs)
    return () => cancel()
  }
  return {
    wallMs: () => time.wallMs(),
    monotonicMs: () => time.monotonicMs(),
    after,
    sleep: (delayMs) =>
      new Promise((resolve) => {
        after(delayMs, resolve)
      }),
    nextTurn: () => time.nextTurn(),
  }
}
