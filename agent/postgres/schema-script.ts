import { schemaName, schemaVersions } from './schema.ts'

/**
 * The schema as a script for `psql`, for administrators who let no program create tables. The user of the agents gets the
 * rights that they need, and no more.
 */
export function schemaScript(user: string): string {
  const version = schemaVersions.length
  const name = `"${user.replaceAll('"', '""')}"`
  const last = schemaVersions.at(-1)
  return [
    `-- The schema of market-agent, version ${version}. Run it in the database of the agents, as its owner, once:`,
    '-- psql --single-transaction --set ON_ERROR_STOP=1 --file THIS_FILE DATABASE',
    `CREATE SCHEMA ${schemaName};`,
    ...schemaVersions.map(({ sql }) => sql),
    `UPDATE ${schemaName}.store SET version = ${version}, usable_from = ${last?.usableFrom};`,
    `GRANT USAGE ON SCHEMA ${schemaName} TO ${name};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schemaName} TO ${name};`,
    // Every user has this right, unless the administrator has taken it away.
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schemaName} TO ${name};`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schemaName} TO ${name};`,
    '',
  ].join('\n')
}
