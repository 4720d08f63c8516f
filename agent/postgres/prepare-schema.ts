import type { Client } from 'pg'
import { StoreUnusableError } from '../database/store-errors.ts'
import { type SchemaVersion, schemaName, schemaVersions } from './schema.ts'

/** "mktp" as a number: the lock under which the schema is made. */
const lockKey = 0x6d6b7470
const insufficientPrivilege = '42501'

/** What is in the database. */
type Found = 'nothing' | 'foreign' | { readonly version: number; readonly usableFrom: number }

/**
 * Makes the schema of the agents, or brings one of an earlier version to the version of this program. All or nothing, and
 * only one agent at a time.
 *
 * @param versions Those that this program knows.
 * @throws {StoreUnusableError} It is of a newer version that this program does not know, or another program's, or this user
 * may not make it. It stays as it is.
 */
export async function prepareSchema(
  client: Client,
  versions: readonly SchemaVersion[] = schemaVersions,
): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey])
    const found = await look(client)
    const known = versions.length
    if (found === 'foreign') throw unusable('it is not of market-agent')
    if (found !== 'nothing' && found.usableFrom > known)
      throw unusable(`written by a newer version of market-agent (${found.version}, this one knows ${known})`)
    for (const { sql } of versions.slice(found === 'nothing' ? 0 : found.version)) await client.query(sql)
    if (found === 'nothing' || found.version < known)
      await client.query('UPDATE market_agent.store SET version = $1, usable_from = $2', [
        known,
        versions.at(-1)?.usableFrom,
      ])
    await client.query('COMMIT')
  } catch (error) {
    // Where the session has ended, the error that ended it is the one to report.
    await client.query('ROLLBACK').catch(() => undefined)
    if ((error as { code?: string }).code !== insufficientPrivilege) throw error
    throw unusable(`this user may not make or change it (${(error as Error).message})`)
  }
}

/** Makes an empty schema where there is none. An administrator may have made it. */
async function look(client: Client): Promise<Found> {
  const schema = await client.query(
    `SELECT (SELECT count(*)::int FROM pg_class WHERE relnamespace = pg_namespace.oid) AS relations,
            to_regclass('market_agent.store') IS NOT NULL AS is_ours
       FROM pg_namespace WHERE nspname = $1`,
    [schemaName],
  )
  const [row] = schema.rows
  if (!row) await client.query(`CREATE SCHEMA ${schemaName}`)
  if (!row || row.relations === 0) return 'nothing'
  if (!row.is_ours) return 'foreign'
  const { rows } = await client.query('SELECT version, usable_from FROM market_agent.store')
  return rows[0] ? { version: rows[0].version, usableFrom: rows[0].usable_from } : 'foreign'
}

function unusable(problem: string): StoreUnusableError {
  return new StoreUnusableError(`schema ${schemaName} of the store: ${problem}. It was left as it is.`)
}
