import { StoreUnusableError } from '../database/store-errors.ts'
import { cures } from '../language/cures.ts'
import type { Query } from './database.ts'
import { type SchemaVersion, schemaName, schemaVersions } from './schema.ts'

/** "mktp" as a number: the lock under which the schema is made. */
const lockKey = 0x6d6b7470
const insufficientPrivilege = '42501'

/** Whether a database with this encoding takes every text. SQL_ASCII takes bytes as they are. */
export function canHoldEveryText(encoding: unknown): boolean {
  return encoding === 'UTF8' || encoding === 'SQL_ASCII'
}

/** What is in the database. */
type Found = 'nothing' | 'foreign' | { readonly version: number; readonly usableFrom: number }

/**
 * Makes the schema of the agents, or brings one of an earlier version to the version of this program. All or nothing, and
 * only one agent at a time.
 *
 * @param versions Those that this program knows.
 * @throws {StoreUnusableError} It is of a newer version that this program does not know, or another program's, or this user
 * may not make it, or the database cannot hold every text. It stays as it is.
 */
export async function prepareSchema(query: Query, versions: readonly SchemaVersion[] = schemaVersions): Promise<void> {
  const [database] = await query(`SELECT current_setting('server_encoding') AS encoding`)
  const encoding = database?.['encoding']
  if (!canHoldEveryText(encoding)) {
    const problem = `the database of the store has the encoding ${encoding}, which cannot hold every text`
    throw new StoreUnusableError(`${problem}: ${cures.databaseInUtf8()}`)
  }
  await query('BEGIN')
  try {
    await query('SELECT pg_advisory_xact_lock($1)', [lockKey])
    const found = await look(query)
    const known = versions.length
    if (found === 'foreign') throw unusable('it is not of market-agent')
    if (found !== 'nothing' && found.usableFrom > known)
      throw unusable(`written by a newer version of market-agent (${found.version}, this one knows ${known})`)
    for (const { sql } of versions.slice(found === 'nothing' ? 0 : found.version)) await query(sql)
    if (found === 'nothing' || found.version < known)
      await query('UPDATE market_agent.store SET version = $1, usable_from = $2', [known, versions.at(-1)?.usableFrom])
    await query('COMMIT')
  } catch (error) {
    // Where the session has ended, the error that ended it is the one to report.
    await query('ROLLBACK').catch(() => undefined)
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error
    throw unusable(`this user may not make or change it (${(error as Error).message})`)
  }
}

/** Makes an empty schema where there is none. An administrator may have made it. */
async function look(query: Query): Promise<Found> {
  const [row] = await query(
    `SELECT (SELECT count(*)::int FROM pg_class WHERE relnamespace = pg_namespace.oid) AS relations,
            to_regclass('market_agent.store') IS NOT NULL AS is_ours
       FROM pg_namespace WHERE nspname = $1`,
    [schemaName],
  )
  if (!row) await query(`CREATE SCHEMA ${schemaName}`)
  if (!row || row['relations'] === 0) return 'nothing'
  if (!row['is_ours']) return 'foreign'
  const [store] = await query('SELECT version, usable_from FROM market_agent.store')
  return store ? { version: Number(store['version']), usableFrom: Number(store['usable_from']) } : 'foreign'
}

function unusable(problem: string): StoreUnusableError {
  return new StoreUnusableError(`schema ${schemaName} of the store: ${problem}. It was left as it is.`)
}
