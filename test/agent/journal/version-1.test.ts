import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteJournal } from '../../../agent/journal/sqlite-journal.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** As the first version made it: an answer that is kept, one whose window has passed, and a call that was under way. */
function makeVersion1(path: string, wallMs: number): void {
  using db = new DatabaseSync(path)
  db.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE journal (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL) STRICT;
    CREATE TABLE call (
      id TEXT PRIMARY KEY,
      fingerprint TEXT NOT NULL,
      operation TEXT NOT NULL,
      answer TEXT,
      ends_at_ms REAL,
      ends_at_wall_ms REAL
    ) STRICT;
    CREATE INDEX call_end ON call (ends_at_ms, ends_at_wall_ms);
    PRAGMA application_id = ${0x6d6b746a};
    PRAGMA user_version = 1;
    INSERT INTO journal VALUES (1, 'its name');
    INSERT INTO call VALUES ('kept', 'f', 'o', '{"ok":true,"dataText":"1"}', 2000, ${wallMs + 60_000});
    INSERT INTO call VALUES ('ended', 'f', 'o', '{"ok":true,"dataText":"2"}', 1000, ${wallMs - 1});
    INSERT INTO call VALUES ('under-way', 'f', 'o', NULL, NULL, NULL);
  `)
}

test('a journal of the first version is taken over with all that it remembers', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'market-agent-journal-'))
  const clock = new TestClock()
  const broke = (error: Error) => {
    throw error
  }
  makeVersion1(join(stateDir, 'journal.db'), clock.wallMs())
  const open = () => openSqliteJournal({ stateDir, clock, isUnanswered: () => false, troubled: () => undefined, broke })
  try {
    // The second time it is of this version already.
    for (const _ of ['first', 'second']) {
      const journal = open()
      expect(journal.name).toBe('its name')
      expect(await journal.find('kept')).toMatchObject({ fingerprint: 'f', answer: { ok: true, dataText: '1' } })
      expect(await journal.find('ended')).toBeUndefined()
      expect(await journal.find('under-way')).toMatchObject({ answer: { ok: false, status: 504, uncertain: true } })
      await journal.close()
    }
  } finally {
    rmSync(stateDir, { recursive: true })
  }
})
