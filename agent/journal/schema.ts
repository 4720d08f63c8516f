import { randomUUID } from 'node:crypto'
import type { DatabaseKind } from '../database/open-database.ts'
import { cures } from '../language/cures.ts'

const schemaVersion = 4

const callTable = `
  -- Calls with an id. A once call that is under way has neither answer nor end. Ends are in the time of the journal.
  CREATE TABLE call (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    operation TEXT NOT NULL,
    answer TEXT,
    ends_at_ms REAL
  ) STRICT;
  -- For the start. It has only the calls under way, so that an answer is written to one tree of ids and no other.
  CREATE INDEX call_intent ON call (id) WHERE ends_at_ms IS NULL;
`

const repairTable = `
  -- Observations that are sent again when nothing older of their item can arrive any more. In the time of the journal.
  CREATE TABLE repair (
    item_ref TEXT PRIMARY KEY,
    quantity INTEGER NOT NULL,
    due_at_ms REAL NOT NULL
  ) STRICT;
`

/** A new journal, except its name. */
const schema = `
  CREATE TABLE journal (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT NOT NULL,
    -- The wall clock less the time of the journal.
    wall_offset_ms REAL NOT NULL DEFAULT 0,
    -- How long an attempt of the process may arrive late; 0 after a clean end.
    attempt_lifetime_ms REAL NOT NULL DEFAULT 0
  ) STRICT;
  ${callTable}
  ${repairTable}
`

/** Versions 1 and 2 had the same columns, and their ends by the wall clock too. The order lets the last row of an id win. */
const takeOverVersions1And2 = `
  DROP INDEX IF EXISTS call_end;
  ALTER TABLE journal ADD COLUMN wall_offset_ms REAL NOT NULL DEFAULT 0;
  ALTER TABLE call RENAME TO older_call;
  ${callTable}
  INSERT OR REPLACE INTO call (id, fingerprint, operation, answer, ends_at_ms)
    SELECT id, fingerprint, operation, answer, ends_at_wall_ms FROM older_call ORDER BY rowid;
  DROP TABLE older_call;
`

const takeOver = (version: number) => `
  BEGIN IMMEDIATE;
  ${version < 3 ? takeOverVersions1And2 : ''}
  ALTER TABLE journal ADD COLUMN attempt_lifetime_ms REAL NOT NULL DEFAULT 0;
  ${repairTable}
  PRAGMA user_version = ${schemaVersion};
  COMMIT;
`

/** The journal's database. */
export const journalDatabase: DatabaseKind = {
  fileName: 'journal.db',
  // "mktj" as a number.
  applicationId: 0x6d6b746a,
  schemaVersion,
  schema,
  // In the same transaction as the tables, because a journal without a name is not a journal.
  fill: (db) => void db.prepare('INSERT INTO journal (only, name) VALUES (1, ?)').run(randomUUID()),
  takeOver,
  cureOfDamage: cures.beginJournal,
  cureOfRemoval: cures.restoreJournal,
}
