import { LRUCache } from 'lru-cache'
import { limits } from '../../contract/limits.ts'
import type { Clock } from '../clock.ts'
import type { IdempotencyJournal, JournalEntry } from './idempotency-journal.ts'

const purgeIntervalMs = 60_000

/** Remembers ids for as long as the process lives. */
export function memoryJournal(clock: Clock): IdempotencyJournal {
  const entries = new LRUCache<string, JournalEntry>({
    ttl: limits.idempotencyWindowMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
    // Entries leave by age alone: pushing one out early would break the promise to its caller.
    max: 0,
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: () => 1,
  })
  let purgedAtMs = clock.monotonicMs()
  const purgeNowAndThen = () => {
    if (clock.monotonicMs() - purgedAtMs < purgeIntervalMs) return
    purgedAtMs = clock.monotonicMs()
    entries.purgeStale()
  }
  return {
    find: (id) => entries.get(id),
    recordIntent(id, fingerprint) {
      entries.set(id, { fingerprint, state: { kind: 'sending' } })
    },
    recordAnswer(id, fingerprint, _operationName, answer, keepMs) {
      entries.set(id, { fingerprint, state: { kind: 'answered', answer } }, { ttl: keepMs })
      purgeNowAndThen()
    },
    release: (id) => {
      entries.delete(id)
    },
    close: () => entries.clear(),
  }
}
