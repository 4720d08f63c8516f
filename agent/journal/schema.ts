/** "mktj" as a number. It says in the head of the file that the database is a journal of market-agent. */
export const applicationId = 0x6d6b746a

export const schemaVersion = 3

const callTable = `
  -- Calls with an id. A once call that is under way has neither answer nor end. Ends are in the time of the journal.
  CREATE TABLE call (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    operation TEXT NOT NULL,
    answer TEXT,
    ends_at_ms REAL
  ) STRICT;
  CREATE INDEX call_end ON call (ends_at_ms);
  PRAGMA user_version = ${schemaVersion};
`

/** A new journal, but for its name. */
export const schema = `
  CREATE TABLE journal (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT NOT NULL,
    -- The wall clock less the time of the journal.
    wall_offset_ms REAL NOT NULL DEFAULT 0
  ) STRICT;
  ${callTable}
  PRAGMA application_id = ${applicationId};
`

/** Versions 1 and 2 had the same columns, and their ends by the wall clock too. The order lets the last row of an id win. */
export const takeOverOlderVersion = `
  BEGIN IMMEDIATE;
  DROP INDEX IF EXISTS call_end;
  ALTER TABLE journal ADD COLUMN wall_offset_ms REAL NOT NULL DEFAULT 0;
  ALTER TABLE call RENAME TO older_call;
  ${callTable}
  INSERT OR REPLACE INTO call (id, fingerprint, operation, answer, ends_at_ms)
    SELECT id, fingerprint, operation, answer, ends_at_wall_ms FROM older_call ORDER BY rowid;
  DROP TABLE older_call;
  COMMIT;
`
