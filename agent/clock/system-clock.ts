import { setImmediate } from 'node:timers/promises'
import { type Clock, clockOver } from './clock.ts'

/** The time of this host. */
export const systemClock: Clock = clockOver({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
  nextTurn: () => setImmediate(),
})
