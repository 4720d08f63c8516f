import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Database, type Query } from '../../../agent/postgres/database.ts'
import { prepareSchema } from '../../../agent/postgres/prepare-schema.ts'
import { startPostgres } from '../../agent/fixtures/postgres-server.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../../agent/fixtures/store-database.ts'
import { type RealProcess, realHost } from './real-host.ts'
import { type StoreParts, type StoreUnderTest, storeUnderTest } from './store-under-test.ts'

/** A server that loses in a power cut what it may lose. */
export interface CrashableServer extends AsyncDisposable {
  readonly port: number
  readonly socketDir: string
  /** From now on a commit survives a power cut only if its session waited for that. */
  holdBackWrites(): Promise<void>
  /** Ends the server as a power cut does, and starts it again. Lost is what it had not yet written to its log. */
  cutPower(): Promise<void>
}

/** Nothing but a commit that waits for it writes the log. The server's own log writer is stopped by the tests. */
const writesNothingByItself = {
  wal_writer_delay: '10s',
  wal_level: 'minimal',
  max_wal_senders: '0',
  bgwriter_lru_maxpages: '0',
  autovacuum: 'off',
  checkpoint_timeout: '1d',
}

/** Starts a server that can be crashed. */
export async function startCrashableServer(): Promise<CrashableServer> {
  const server = await startPostgres({ settings: writesNothingByItself })
  const options = databaseOptions(urlOfDatabase(server, 'postgres'))
  /** The server comes back by itself, and the connection too. */
  const admin = await Database.open(options)
  let logWriter = 0
  const holdBackWrites = async () => {
    const rows = await admin.query(`SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`)
    logWriter = Number(rows[0]?.['pid'])
    process.kill(logWriter, 'SIGSTOP')
  }
  return {
    port: server.port,
    socketDir: server.socketDir,
    holdBackWrites,
    async cutPower() {
      const { promise: isBack, resolve } = Promise.withResolvers<void>()
      const stop = admin.listen((payload) => payload === undefined && resolve())
      // A server one of whose processes was killed ends all others, forgets its memory, and reads its log.
      process.kill(logWriter, 'SIGKILL')
      await isBack
      stop()
      await holdBackWrites()
    },
    async [Symbol.asyncDispose]() {
      process.kill(logWriter, 'SIGCONT')
      await admin.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Opens a store over a database for one process. */
export type OpenOverDatabase<Store> = (database: Database, parts: StoreParts, process: RealProcess) => Promise<Store>

/**
 * A store in a database of its own of a server.
 *
 * @param openOver Opens it over a database whose schema is prepared. It does not close the database.
 */
export async function postgresUnderTest<Store extends { close(): Promise<void> }>(
  server: CrashableServer,
  openOver: OpenOverDatabase<Store>,
): Promise<StoreUnderTest<Store>> {
  const name = await newDatabase(server)
  const passed = join(server.socketDir, `${name}.passed-ms`)
  let passedMs = 0
  const isFull = join(server.socketDir, `${name}.is-full`)
  const write = (path: string, value: number | boolean) => {
    // The server may read it at any moment.
    writeFileSync(`${path}.new`, String(value))
    renameSync(`${path}.new`, path)
  }
  write(passed, passedMs)
  write(isFull, false)
  await server.holdBackWrites()
  let database: Database | undefined
  const prepare = async (query: Query) => {
    await prepareSchema(query)
    await query(travellingTime(passed))
    await query(fullDisk(isFull))
  }
  const end = async () => {
    await database?.close()
    database = undefined
  }
  const host = realHost(async (ms) => {
    passedMs += ms
    write(passed, passedMs)
    await database?.idle()
  })
  return storeUnderTest(
    {
      async open(process: RealProcess, parts) {
        database = await Database.open(databaseOptions(urlOfDatabase(server, name), { prepare }))
        const store = await openOver(database, parts, process)
        const { close } = store
        return Object.assign(store, {
          async close() {
            await close.call(store)
            await end()
          },
        })
      },
      async crash(how) {
        await end()
        if (how === 'power cut') await server.cutPower()
      },
      async setFull(value) {
        write(isFull, value)
      },
      [Symbol.asyncDispose]: end,
    },
    host,
  )
}

/** In a file, because what a test lets pass is not a commit. */
function travellingTime(passed: string): string {
  return `CREATE OR REPLACE FUNCTION market_agent.now_ms() RETURNS bigint LANGUAGE sql AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + pg_read_file('${passed}')::bigint $$`
}

/**
 * A disk that is full has no room for a new row, nor for a new version of one. In a file too, because a trigger that comes and
 * goes locks its table.
 */
function fullDisk(isFull: string): string {
  return `
    CREATE OR REPLACE FUNCTION test_full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF pg_read_file('${isFull}') = 'true' THEN RAISE 'could not extend file' USING ERRCODE = '53100'; END IF;
        RETURN NULL;
      END $$;
    DO $$
      DECLARE name text;
      BEGIN
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'market_agent' LOOP
          EXECUTE format('CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT OR UPDATE ON market_agent.%I
            FOR EACH STATEMENT EXECUTE FUNCTION test_full_disk()', name);
        END LOOP;
      END $$`
}
