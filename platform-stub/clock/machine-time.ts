import type { RealTime } from './clock.ts'

/** The only place in the stub that reads the machine's clock or sets one of its timers. */
export const machineTime: RealTime = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, wake) {
    const timer = setTimeout(wake, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
}
