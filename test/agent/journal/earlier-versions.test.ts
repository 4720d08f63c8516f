import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { TestClock } from '../fixtures/test-clock.ts'
import { testStateDir } from '../fixtures/test-journal.ts'

const columns = 'fingerprint TEXT NOT NULL, operation TEXT NOT NULL, answer TEXT, ends_at_ms REAL, ends_at_wall_ms REAL'
const callTables = {
  1: `CREATE TABLE call (id TEXT PRIMARY KEY, ${columns}) STRICT; CREATE INDEX call_end ON call (ends_at_ms, ends_at_wall_ms)`,
  2: `CREATE TABLE call (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, ${columns}) STRICT`,
  3: `
    CREATE TABLE call (id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, operation TEXT NOT NULL, answer TEXT, ends_at_ms REAL) STRICT;
    CREATE INDEX call_intent ON call (id) WHERE ends_at_ms IS NULL;
    ALTER TABLE journal ADD COLUMN wall_offset_ms REAL NOT NULL DEFAULT 0;
  `,
} as const

/** As that version made it: an answer that is kept, one whose window has ended, and a call that was under way. */
function makeJournal(path: string, version: 1 | 2 | 3, wallMs: number): void {
  using db = new DatabaseSync(path)
  db.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE journal (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT;
    ${callTables[version]};
    PRAGMA application_id = ${0x6d6b746a};
    PRAGMA user_version = ${version};
    INSERT INTO journal (only, name) VALUES (1, 'its name');
  `)
  // The time of a new journal is the wall clock's.
  const end = version === 3 ? 'ends_at_ms' : 'ends_at_wall_ms'
  const insert = db.prepare(`INSERT INTO call (id, fingerprint, operation, answer, ${end}) VALUES (?, ?, ?, ?, ?)`)
  insert.run('kept', 'f', 'transaction.create', '{"ok":true,"dataText":"1"}', wallMs + 60_000)
  insert.run('ended', 'f', 'transaction.create', '{"ok":true,"dataText":"2"}', wallMs - 1)
  insert.run('under-way', 'f', 'transaction.create', null, null)
}

for (const version of [1, 2, 3] as const) {
  test(`a journal of version ${version} is taken over with all that it remembers`, async () => {
    using state = testStateDir()
    const clock = new TestClock()
    makeJournal(join(state.dir, 'journal.db'), version, clock.wallMs())
    // The second time it is of this version already.
    for (const _ of ['first', 'second']) {
      await using journal = state.open(clock)
      expect(journal.name).toBe('its name')
      expect(await journal.find('kept')).toMatchObject({ fingerprint: 'f', answer: { ok: true, dataText: '1' } })
      expect(await journal.find('ended')).toBeUndefined()
      expect(await journal.findUnanswered('ended')).toMatchObject({ answer: { ok: true, dataText: '2' } })
      expect(await journal.findRepairs()).toEqual([])
      expect(await journal.find('under-way')).toMatchObject({ answer: { ok: false, status: 504, uncertain: true } })
    }
    await using journal = state.open(clock)
    clock.advance(60_001)
    expect(await journal.find('kept')).toBeUndefined()
    expect(await journal.find('under-way')).toBeDefined()
  })
}
