import { agentTables } from './agent-tables.ts'
import { callTables } from './call-tables.ts'
import { orderTables } from './order-tables.ts'

/** Everything of the agents in the database is in this schema. */
export const schemaName = 'market_agent'

/** One version of the schema. */
export interface SchemaVersion {
  /** Makes it from the version before. It takes a moment and no lock on a table that has many rows. */
  readonly sql: string
  /** Agents that know this version or a later one can work with it. So agents are upgraded one after another. */
  readonly usableFrom: number
}

/** Every version, from 1. A released one is never changed. */
export const schemaVersions: readonly SchemaVersion[] = [
  {
    usableFrom: 1,
    sql: `
      CREATE TABLE market_agent.store (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        -- Of the store, as a claimed request file has it.
        name text NOT NULL DEFAULT gen_random_uuid(),
        version integer NOT NULL,
        usable_from integer NOT NULL,
        -- When an agent was heard last.
        heard_ms bigint NOT NULL DEFAULT 0,
        -- Until then an observation of any item may arrive late: its agent died, and the store does not know which turns
        -- it had.
        late_until_ms bigint
      );
      INSERT INTO market_agent.store (version, usable_from) VALUES (1, 1);

      -- The time of windows and leases, Unix ms. No clock of a host is compared with it.
      CREATE FUNCTION market_agent.now_ms() RETURNS bigint LANGUAGE sql
        RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint;

      ${agentTables}
      ${callTables}
      ${orderTables}
    `,
  },
]
