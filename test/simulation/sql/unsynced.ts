import type { SqlEngine } from './engine.ts'

/** The commits that a crash would lose. They are only known while somebody is going to crash the server. */
export class Unsynced {
  readonly #engine: SqlEngine
  #isWatched = false

  /** The engine is shared. The world before this one may have left commits that it did not lose. */
  constructor(engine: SqlEngine) {
    this.#engine = engine
    engine.demand(`SELECT set_config('world.watches', 'no', false); TRUNCATE world.unsynced RESTART IDENTITY`)
  }

  /** Made once for each engine. */
  static prepare(engine: SqlEngine): void {
    engine.demand(unsyncedSql)
  }

  /** From now on commits that wait for no disk stay in memory. */
  watch(): void {
    this.#isWatched = true
    this.#engine.demand(`SELECT set_config('world.watches', 'yes', false)`)
  }

  /** Whether a crash would lose the last change of a row with these values. */
  has(table: string, values: Readonly<Record<string, unknown>>): boolean {
    if (!this.#isWatched) return false
    const sql = 'SELECT FROM world.unsynced WHERE relation = $1::regclass AND after @> $2::jsonb'
    return this.#engine.demand(sql, [table, JSON.stringify(values)]).length > 0
  }

  /** A commit has waited for the disk, and so for all commits before it. */
  forget(): void {
    if (this.#isWatched) this.#engine.demand('DELETE FROM world.unsynced')
  }

  /** The server has crashed. */
  lose(): void {
    if (!this.#isWatched) return
    this.#isWatched = false
    this.#engine.demand('CALL world.lose_unsynced()')
  }
}

/** Notes each change of a row. `lose_unsynced` takes all of them back, and empties the tables that no crash keeps. */
const unsyncedSql = `
  CREATE TABLE world.unsynced (
    number bigint GENERATED ALWAYS AS IDENTITY,
    relation regclass NOT NULL,
    before jsonb,
    after jsonb
  );
  CREATE FUNCTION world.note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO world.unsynced (relation, before, after)
        VALUES (TG_RELID, CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END,
          CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
      RETURN NULL;
    END $$;
  CREATE PROCEDURE world.lose_unsynced() LANGUAGE plpgsql AS $$
    DECLARE
      v world.unsynced;
      v_unlogged regclass;
    BEGIN
      PERFORM set_config('world.watches', 'no', false);
      FOR v IN SELECT * FROM world.unsynced ORDER BY number DESC LOOP
        IF v.after IS NOT NULL THEN
          EXECUTE format('DELETE FROM %s AS known WHERE to_jsonb(known) = $1', v.relation) USING v.after;
        END IF;
        IF v.before IS NOT NULL THEN
          EXECUTE format('INSERT INTO %1$s OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::%1$s, $1)',
            v.relation) USING v.before;
        END IF;
      END LOOP;
      DELETE FROM world.unsynced;
      -- As PostgreSQL does after a crash.
      FOR v_unlogged IN SELECT oid::regclass FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r' LOOP
        EXECUTE format('TRUNCATE %s', v_unlogged);
      END LOOP;
    END $$;
  DO $$
    DECLARE v regclass;
    BEGIN
      FOR v IN SELECT oid FROM pg_class WHERE relnamespace = 'market_agent'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW
          WHEN (current_setting(''world.watches'', true) = ''yes'') EXECUTE FUNCTION world.note()', v);
      END LOOP;
    END $$;
`
