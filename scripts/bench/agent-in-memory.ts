/**
 * What the journal's cost is measured against: the same agent with every guard, whose memory of ids ends with its
 * process. It writes nothing and waits for no disk.
 */
import { LRUCache } from 'lru-cache'
import { run } from '../../agent/command-line/run-command.ts'
import type { IdempotencyJournal, JournalEntry } from '../../agent/journal/idempotency-journal.ts'

function openMemory(): IdempotencyJournal {
  const entries = new LRUCache<string, JournalEntry>({ max: 20_000 })
  return {
    name: 'memory',
    find: async (id) => entries.get(id),
    findUnanswered: async (id) => entries.get(id),
    forgetEnded: async () => undefined,
    recordIntent: async () => undefined,
    async recordAnswer({ id, fingerprint }, answer, keepMs) {
      entries.set(id, { fingerprint, answer }, { ttl: keepMs })
    },
    async release(id) {
      entries.delete(id)
    },
    close: async () => undefined,
  }
}

await run({}, openMemory)
