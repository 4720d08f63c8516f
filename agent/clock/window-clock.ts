import type { Clock } from './clock.ts'

/** A difference that NTP makes without a jump, between two looks. */
const driftMs = 60_000

/**
 * Wall time, for ages of what is on disk: only wall time survives a restart, and anyone can set it. The time at the start
 * is believed. A jump ahead is believed when it has lasted a whole window by the monotonic clock, so that no jump ends a
 * window. A jump back can only prolong one.
 *
 * @param windowMs The length of the window that is measured with it.
 * @param jumpBack When a jump back is believed: `at-once` where ages are of times that the wall clock itself gave, and
 *   `late`, as one ahead, where this clock gave them. What is noted after a jump back that is soon corrected would be
 *   old for the next process.
 * @returns Unix time in ms, to be compared with times that the wall clock gave.
 */
export function windowClock(clock: Clock, windowMs: number, jumpBack: 'at-once' | 'late' = 'at-once'): () => number {
  const offsetMs = () => clock.wallMs() - clock.monotonicMs()
  let believedMs = offsetMs()
  let jump: { readonly offsetMs: number; readonly sinceMs: number } | undefined
  return () => {
    const nowMs = clock.monotonicMs()
    const foundMs = offsetMs()
    if (foundMs > believedMs + driftMs || (jumpBack === 'late' && foundMs < believedMs - driftMs)) {
      if (!jump || Math.abs(foundMs - jump.offsetMs) > driftMs) jump = { offsetMs: foundMs, sinceMs: nowMs }
      if (nowMs - jump.sinceMs < windowMs) return believedMs + nowMs
    }
    believedMs = foundMs
    jump = undefined
    return believedMs + nowMs
  }
}
