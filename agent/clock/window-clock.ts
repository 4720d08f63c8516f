import type { Clock } from './clock.ts'

/** A difference that NTP makes without a jump, between two looks. */
const driftMs = 60_000

/**
 * Wall time, for ages of what is on disk: only wall time survives a restart, and anyone can set it. The time at the start
 * is believed. A jump ahead is believed when it has lasted a whole window by the monotonic clock, so that no jump ends a
 * window. A jump back can only prolong one.
 *
 * @param windowMs The length of the window that is measured with it.
 * @param jumpBack `believed` for the age of times that the wall clock gave, `ignored` for that of times that this clock
 *   gave: those after a jump back would be old as soon as the wall clock is right again.
 * @returns Unix time in ms.
 */
export function windowClock(
  clock: Clock,
  windowMs: number,
  jumpBack: 'believed' | 'ignored' = 'believed',
): () => number {
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
    if (jumpBack === 'believed' || foundMs >= believedMs - driftMs) believedMs = foundMs
    ahead = undefined
    return believedMs + nowMs
  }
}
