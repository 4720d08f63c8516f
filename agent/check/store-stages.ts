import type { StoreHost, StoreUrl } from '../config/store-url.ts'
import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'
import { type ConnectOptions, connectToStore, NoWritableHostError } from '../postgres/connect.ts'
import { canHoldEveryText } from '../postgres/prepare-schema.ts'
import { schemaName, schemaVersions } from '../postgres/schema.ts'
import type { StoreClient } from '../postgres/session.ts'
import { type Check, right, unknown, type Verdict, warning, wrong } from './check.ts'

/** An agent that the store knows. */
export interface KnownAgent {
  readonly name: string
  readonly world: string
  /** Of its lease; 0 or less for one that is dead. */
  readonly restMs: number
}

/** What is at the address of the store. */
export type StoreFacts =
  | { readonly at: 'unreachable'; readonly error: NoWritableHostError }
  | {
      readonly at: 'there'
      readonly host: StoreHost
      /** Other servers of the address that accept writes. There must be none. */
      readonly rivals: readonly StoreHost[]
      readonly serverVersion: string
      /** Its clock minus that of this host. */
      readonly clockMs: number
      readonly settings: Readonly<
        Record<'fsync' | 'full_page_writes' | 'synchronous_commit' | 'synchronous_standby_names', string>
      >
      readonly schema: SchemaFacts
    }

type SchemaFacts =
  | { readonly at: 'missing'; readonly mayMake: boolean }
  | { readonly at: 'foreign' }
  /** The database has an encoding that cannot hold every text. */
  | { readonly at: 'impossible'; readonly encoding: string }
  | {
      readonly at: 'ours'
      readonly version: number
      readonly usableFrom: number
      readonly agents: readonly KnownAgent[]
    }

const timeoutMs = 5_000

/** Asks the store, and changes nothing. */
export async function probeStore(url: StoreUrl, ca: string[]): Promise<StoreFacts> {
  const options = { ca, timeoutMs, applicationName: 'market-agent check' }
  try {
    const { client, host, end } = await connectToStore(url, options, () => undefined)
    try {
      const ask = async (sql: string) => (await client.query(sql)).rows[0] as Record<string, string>
      const askedMs = Date.now()
      const settings = await ask(`SELECT current_setting('server_version') AS server_version,
        current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
        current_setting('synchronous_commit') AS synchronous_commit,
        current_setting('synchronous_standby_names') AS synchronous_standby_names,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms,
        pg_postmaster_start_time()::text AS started,
        has_database_privilege(current_database(), 'CREATE') AS may_make,
        EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schemaName}') AS has_schema,
        to_regclass('${schemaName}.store') IS NOT NULL AS is_ours`)
      const halfWayMs = (askedMs + Date.now()) / 2
      return {
        ...{ at: 'there', host, settings: settings as (StoreFacts & { at: 'there' })['settings'] },
        rivals: await findRivals(url, { host, started: String(settings['started']) }, options),
        serverVersion: String(settings['server_version']),
        clockMs: Math.round(Number(settings['now_ms']) - halfWayMs),
        schema: await schemaBy(settings, client),
      }
    } finally {
      await end()
    }
  } catch (error) {
    if (error instanceof NoWritableHostError) return { at: 'unreachable', error }
    throw error
  }
}

/** One server may have two names. */
async function findRivals(
  url: StoreUrl,
  { host, started }: { readonly host: StoreHost; readonly started: string },
  options: ConnectOptions,
): Promise<readonly StoreHost[]> {
  const others = url.hosts.slice(url.hosts.indexOf(host) + 1)
  const startOf = async (other: StoreHost): Promise<unknown> => {
    const { client, end } = await connectToStore({ ...url, hosts: [other] }, options, () => undefined)
    try {
      return (await client.query('SELECT pg_postmaster_start_time()::text AS started')).rows[0]?.['started']
    } finally {
      await end()
    }
  }
  // One that cannot be asked accepts no writes.
  const starts = await Promise.all(others.map((other) => startOf(other).catch(() => started)))
  return others.filter((_, n) => starts[n] !== started)
}

async function schemaBy(
  { may_make, has_schema, is_ours, encoding }: Readonly<Record<string, unknown>>,
  client: Pick<StoreClient, 'query'>,
): Promise<SchemaFacts> {
  if (!canHoldEveryText(encoding)) return { at: 'impossible', encoding: String(encoding) }
  if (has_schema !== true) return { at: 'missing', mayMake: may_make === true }
  if (is_ours !== true) return { at: 'foreign' }
  const { rows } = await client.query(`SELECT version, usable_from FROM ${schemaName}.store`)
  const agents = await client.query(
    `SELECT name, world, lease_ends_ms - ${schemaName}.now_ms() AS rest_ms FROM ${schemaName}.agent ORDER BY name`,
  )
  return {
    at: 'ours',
    version: Number(rows[0]?.['version']),
    usableFrom: Number(rows[0]?.['usable_from']),
    agents: agents.rows.map(({ name, world, rest_ms }) => ({
      ...{ name: String(name), world: String(world), restMs: Number(rest_ms) },
    })),
  }
}

/** The stages of the store. */
export function storeChecks(facts: StoreFacts, url: StoreUrl, self: { name: string; world: string }): Check[] {
  if (facts.at === 'unreachable') return [{ name: 'store', ...wrong(facts.error.message, cures.lookAtStore()) }]
  return [
    { name: 'store', ...judgeServer(facts) },
    { name: 'store-schema', ...judgeSchema(facts.schema) },
    { name: 'store-commits', ...judgeCommits(facts, url.hosts.length) },
    { name: 'store-agents', ...judgeAgents(facts.schema, self) },
  ]
}

function judgeServer({ host, rivals, serverVersion, clockMs }: StoreFacts & { at: 'there' }): Verdict {
  if (rivals.length > 0) {
    const names = [host, ...rivals].map((each) => `${each.host}:${each.port}`)
    return wrong(say`several servers accept writes: ${names.join(', ')}`, cures.keepOnePrimary())
  }
  const seconds = (clockMs / 1_000).toFixed(1)
  return right(
    say`PostgreSQL ${serverVersion} at ${host.host}:${host.port} accepts writes; its clock minus this host's: ${seconds} s, which does not matter`,
  )
}

function judgeSchema(schema: SchemaFacts): Verdict {
  const known = schemaVersions.length
  if (schema.at === 'foreign') return wrong(say`${schemaName} is another program's schema`, cures.otherDatabase())
  if (schema.at === 'impossible')
    return wrong(
      say`the database has the encoding ${schema.encoding}, which cannot hold every text`,
      cures.databaseInUtf8(),
    )
  if (schema.at === 'missing')
    return schema.mayMake
      ? right(say`${schemaName} does not exist yet; the first start makes it`)
      : wrong(say`${schemaName} does not exist, and this user may not make it`, cures.makeSchema())
  if (schema.usableFrom > known)
    return wrong(
      say`${schemaName} was written by a newer market-agent (version ${schema.version}, this one knows ${known})`,
      cures.startNewerVersion(),
    )
  return right(say`${schemaName}: version ${schema.version}`)
}

/** Whether a commit that was answered can be lost. */
function judgeCommits({ settings }: StoreFacts & { at: 'there' }, hosts: number): Verdict {
  for (const setting of ['fsync', 'full_page_writes'] as const)
    if (settings[setting] === 'off')
      return warning(say`${setting} is off: a power cut may lose or damage everything`, cures.turnOn(setting))
  const hasStandby = settings.synchronous_standby_names !== ''
  if (hosts > 1 && !(hasStandby && ['on', 'remote_apply', 'remote_write'].includes(settings.synchronous_commit)))
    return warning(say`a failover may lose the last commits, and an id with them`, cures.replicateSynchronously())
  return right(hasStandby ? say`a standby has each commit` : say`each commit is on the server's disk`)
}

function judgeAgents(schema: SchemaFacts, self: { name: string; world: string }): Verdict {
  if (schema.at !== 'ours') return unknown(say`nobody, because there is no schema yet`)
  const alive = schema.agents.filter(({ restMs }) => restMs > 0)
  const described = alive.map(({ name, world, restMs }) => {
    const who = world === '' ? name : `${name} (${world})`
    return say`${who}, lease ${Math.ceil(restMs / 1_000)} s`
  })
  const who = described.length === 0 ? say`no agent is alive` : described.join('; ')
  const isMixed = alive.some(({ world }) => (world === '') !== (self.world === ''))
  return isMixed
    ? warning(
        say`${who}; some have a world and some have none, so orders without a world reach only some`,
        cures.nameWorlds(),
      )
    : right(who)
}
