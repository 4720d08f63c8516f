/** Where the stub meets the machine's time. Tests put their own in its place. */
export interface RealTime {
  /** Unix time in ms. */
  nowMs(): number
  /** Milliseconds that no change of the machine's clock moves, for durations. */
  monotonicMs(): number
  /** Runs `wake` once after `delayMs`; the timer alone does not keep the process alive. */
  setTimer(delayMs: number, wake: () => void): () => void
}

/** The only place in the stub that reads the machine's clock or sets one of its timers. */
export const machineTime: RealTime = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, wake) {
    const timer = setTimeout(wake, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
