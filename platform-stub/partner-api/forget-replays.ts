import type { StubClock } from '../clock/clock.ts'
import type { Platform } from '../marketplace/platform.ts'
import { stubLimits } from '../store/stub-limits.ts'

/**
 * Forgets expired jtis from time to time, a bounded number in each transaction. Returns its end.
 *
 * One counts as expired when both the stub's time and the machine's are past its exp: a stub that travelled ahead and
 * came back must still know what it opened before. Of the newest the table knows even then which envelopes they were.
 */
export function forgetExpiredReplays(
  platform: Pick<Platform, 'tables' | 'transact' | 'log'>,
  clock: StubClock,
): () => void {
  let cancel: () => void
  const again = (): void => {
    cancel = clock.after(stubLimits.replayPruneIntervalMs, forget)
  }
  const forget = async (): Promise<void> => {
    try {
      const nowS = Math.min(clock.nowMs(), clock.realNowMs()) / 1_000
      const count = stubLimits.replaysPrunedMax
      while ((await platform.transact(() => platform.tables.replays.prune(nowS, count))) === count);
    } catch (error) {
      platform.log.error({ err: error }, 'expired replays not forgotten')
    }
    again()
  }
  again()
  return () => cancel()
}
