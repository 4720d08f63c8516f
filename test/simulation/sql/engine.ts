import { PGlite, protocol } from '@electric-sql/pglite'
import { types } from 'pg'
import type { Row } from '../../../agent/postgres/session.ts'
import { inWorld } from '../outside.ts'

/** What a server says about a statement that failed, as the protocol has it. */
export interface SqlFailure {
  readonly severity: string
  readonly code: string
  readonly message: string
}

/** What came of one message with statements. */
export interface SqlResult {
  /** Of the last statement. */
  readonly rows: readonly Row[]
  readonly failure: SqlFailure | undefined
  /** The payloads of what was notified. */
  readonly notified: readonly string[]
}

/** One statement with values, or several without. */
export interface Statement {
  readonly sql: string
  readonly values?: readonly unknown[]
}

/** The tables of the agents, in an order in which rows can be put in. */
const tablesOf = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname = 'market_agent' ORDER BY tablename`

/** Names that the engine would draw by chance. */
const countedUuids = `
  CREATE SCHEMA world;
  CREATE SEQUENCE world.uuids;
  SET allow_system_table_mods = on;
  CREATE OR REPLACE FUNCTION pg_catalog.gen_random_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT lpad(to_hex(nextval('world.uuids')), 32, '0')::uuid
  $$;
`

/**
 * A whole PostgreSQL in this process, without threads: each statement runs to its end at once. It has one session and the
 * clock that it is given.
 */
export class SqlEngine {
  readonly #pglite: PGlite
  /** Unix time, ms: the engine asks the runtime for it. */
  nowMs: () => number = () => 0

  private constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  static async start(channel: string): Promise<SqlEngine> {
    const engine = new SqlEngine(await PGlite.create())
    engine.demand(`LISTEN ${channel}`)
    engine.demand(countedUuids)
    return engine
  }

  /** Runs messages one after another, as if each came in a message of its own. */
  run(...statements: readonly Statement[]): readonly SqlResult[] {
    const messages = statements.flatMap(({ sql, values }) =>
      values === undefined ? [protocol.serialize.query(sql)] : extended(sql, values),
    )
    const answer = this.#inItsTime(() => this.#pglite.execProtocolRawSync(Buffer.concat(messages)))
    const results: SqlResult[] = []
    let [rows, fields, failure, notified]: [Row[], Field[], SqlFailure | undefined, string[]] = [[], [], undefined, []]
    new protocol.Parser().parse(Buffer.from(answer), (message) => {
      switch (message.name) {
        case 'rowDescription':
          fields = (message as unknown as { readonly fields: Field[] }).fields
          rows = []
          break
        case 'dataRow':
          rows.push(rowOf((message as unknown as { readonly fields: (string | null)[] }).fields, fields))
          break
        case 'error':
          failure = message as unknown as SqlFailure
          break
        case 'notification':
          notified.push((message as unknown as { readonly payload: string }).payload)
          break
        case 'readyForQuery':
          results.push({ rows, failure, notified })
          ;[rows, fields, failure, notified] = [[], [], undefined, []]
          break
        default:
      }
    })
    return results
  }

  /** Runs statements of the world itself, which must succeed. */
  demand(sql: string, values?: readonly unknown[]): readonly Row[] {
    const [result] = this.run({ sql, ...(values && { values }) })
    if (!result || result.failure) throw new Error(`${result?.failure?.message}: ${sql}`)
    return result.rows
  }

  /** Empties the tables, as the schema was made. */
  clear(): void {
    const tables = this.demand(tablesOf).map(({ name }) => String(name))
    const emptied = tables.filter((name) => name !== 'market_agent.store')
    this.run({ sql: 'ROLLBACK' })
    this.demand(`TRUNCATE ${emptied.join(', ')} RESTART IDENTITY`)
    this.demand('ALTER SEQUENCE market_agent.epochs RESTART; ALTER SEQUENCE world.uuids RESTART')
  }

  async close(): Promise<void> {
    await this.#pglite.close()
  }

  #inItsTime<Result>(work: () => Result): Result {
    const { now } = Date
    const { isNow } = inWorld
    inWorld.isNow = false
    Date.now = this.nowMs
    try {
      return work()
    } finally {
      Date.now = now
      inWorld.isNow = isNow
    }
  }
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

function extended(sql: string, values: readonly unknown[]): readonly Uint8Array[] {
  const { parse, bind, describe, execute, sync } = protocol.serialize
  return [parse({ text: sql }), bind({ values: values.map(textOf) }), describe({ type: 'P' }), execute(), sync()]
}

/** As the client of the agent sends it. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map((item) => JSON.stringify(item)).join(',')}}`
  return String(value)
}

/** As the client of the agent reads it. */
function rowOf(values: readonly (string | null)[], fields: readonly Field[]): Row {
  return Object.fromEntries(
    fields.map(({ name, dataTypeID }, n) => {
      const value = values[n] ?? null
      return [name, value === null ? null : (types.getTypeParser(dataTypeID, 'text')(value) as unknown)]
    }),
  )
}
