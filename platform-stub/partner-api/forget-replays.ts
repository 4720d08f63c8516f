import type { DueWork } from '../clock/schedule.ts'
import type { Platform } from '../marketplace/platform.ts'
import { Refusal } from '../marketplace/refusal.ts'

/** Expired envelopes are forgotten this often. */
const replayForgettingIntervalMs = 10_000

/** Forgets envelopes whose exp has passed, now and then, for the schedule. */
export function replayForgetting({ tables, clock, transact }: Platform): DueWork {
  let lastMs = Number.NEGATIVE_INFINITY
  const leftMs = (): number => Math.max(0, lastMs + replayForgettingIntervalMs - clock.monotonicMs())
  return {
    nextMs: () => (tables.replays.isLong() ? clock.nowMs() + leftMs() : null),
    run() {
      if (leftMs() > 0 || !tables.replays.isLong()) return true
      lastMs = clock.monotonicMs()
      return !(transact(() => tables.replays.forgetExpired(clock.nowMs() / 1_000)) instanceof Refusal)
    },
  }
}
