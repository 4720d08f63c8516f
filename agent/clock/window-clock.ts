import type { Clock } from './clock.ts'

/** A difference that NTP makes without a jump, between two looks. */
const driftMs = 60_000

/**
 * Wall time, for ages of what is on disk: only wall time survives a restart, and anyone can set it. The time at the start
 * is believed. A jump ahead is believed when it has lasted a whole window by the monotonic clock, so that no jump ends a
 * window. A jump back is believed at once: it can only prolong a window.
 *
 * @param windowMs The length of the window that is measured with it.
 * @returns Unix time in ms, to be compared with times that the wall clock gave.
 */
export function windowClock(clock: Clock, windowMs: number): () => number {
  const offsetMs = () => clock.wallMs() - clock.monotonicMs()
  let believedMs = offsetMs()
  let ahead: { readonly offsetMs: number; readonly sinceMs: number } | undefined
  return () => {
    const nowMs = clock.monotonicMs()
    const foundMs = offsetMs()
    if (foundMs > believedMs + driftMs) {
      if (!ahead || Math.abs(foundMs - ahead.offsetMs) > driftMs) ahead = { offsetMs: foundMs, sinceMs: nowMs }
      if (nowMs - ahead.sinceMs < windowMs) return believedMs + nowMs
    }
    believedMs = foundMs
    ahead = undefined
    return believedMs + nowMs
  }
}
