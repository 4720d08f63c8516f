import { expect, test } from 'vitest'
import { StoreUnusableError } from '../../../agent/database/store-errors.ts'
import { connectToStore } from '../../../agent/postgres/connect.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { prepareSchema } from '../../../agent/postgres/prepare-schema.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { order } from '../fixtures/events.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'
import { StoreProcesses } from '../fixtures/store-processes.ts'
import { goodInputs } from '../fixtures/test-agent.ts'

const server = await sharedPostgres()
const options = { ca: undefined, timeoutMs: 60_000, applicationName: 'test' }
const purchase = goodInputs['transaction.create'] ?? {}
const unexpected = () => expect.unreachable('the session ended')

/** What an administrator may set, and what the agents need. */
const settings = {
  default_transaction_isolation: ["'repeatable read'", 'read committed'],
  search_path: ['theirs, pg_catalog', 'public'],
  statement_timeout: ["'1ms'", '1min'],
  lock_timeout: ["'1ms'", '0'],
  transaction_timeout: ["'2s'", '0'],
  idle_session_timeout: ["'2s'", '0'],
  idle_in_transaction_session_timeout: ["'1ms'", '1min'],
  tcp_keepalives_idle: ['7200', '10'],
  tcp_keepalives_interval: ['75', '5'],
  tcp_keepalives_count: ['9', '3'],
  tcp_user_timeout: ['0', '25000'],
  extra_float_digits: ['-15', '1'],
  client_encoding: ['LATIN1', 'UTF8'],
  synchronous_commit: ['off', 'on'],
} as const
/** These change nothing for the agents. */
const indifferent = {
  timezone: "'Asia/Kathmandu'",
  datestyle: "'SQL, DMY'",
  bytea_output: "'escape'",
  standard_conforming_strings: 'off',
  'plpgsql.variable_conflict': "'use_variable'",
  'plpgsql.extra_errors': "'all'",
}

async function set(database: string, values: readonly (readonly [string, string])[]): Promise<void> {
  const { client, end } = await connectToStore(urlOfDatabase(server, 'postgres'), options, unexpected)
  for (const [name, value] of values) await client.query(`ALTER DATABASE ${database} SET ${name} = ${value}`)
  await end()
}

test('a session has the settings that the agents need, whatever the administrator has set', async () => {
  const name = await newDatabase(server)
  await set(
    name,
    Object.entries(settings).map(([setting, [theirs]]) => [setting, theirs]),
  )
  const { client, end } = await connectToStore(urlOfDatabase(server, name), options, unexpected)
  const found = await client.query(
    'SELECT name, current_setting(name) AS setting FROM pg_catalog.pg_settings WHERE name = ANY ($1)',
    [Object.keys(settings)],
  )
  const expected = Object.entries(settings).map(([setting, [, ours]]) => [setting, ours])
  expect(Object.fromEntries(found.rows.map((row) => [row['name'], row['setting']]))).toEqual(
    Object.fromEntries(expected),
  )
  await end()
})

test('agents make their schema and work together whatever the administrator has set', async () => {
  const name = await newDatabase(server)
  await using hosts = await StoreProcesses.start(name)
  await hosts.database.query(`
    CREATE SCHEMA theirs;
    CREATE FUNCTION theirs.hashtext(text) RETURNS integer LANGUAGE sql RETURN 1 / 0;
    CREATE FUNCTION theirs.clock_timestamp() RETURNS timestamptz LANGUAGE sql RETURN to_timestamp(0)`)
  const theirs = Object.entries(settings).map(([setting, [value]]) => [setting, value] as const)
  await set(name, [...theirs, ...Object.entries(indifferent)])
  const agents = await Promise.all(['a', 'b'].map((agent) => hosts.spawn(agent)))
  await Promise.all(agents.map(({ agent }) => agent.listening))
  const answers = Array.from({ length: 60 }, (_, n) => {
    const stock = { itemRef: order.itemRef, observedQuantity: Math.floor(n / 6) }
    const { agent } = agents[n % 2] ?? expect.unreachable()
    const call = (operation: string, input: object) => agent.call(operation, input, `${operation} ${Math.floor(n / 6)}`)
    return n % 3 === 0 ? call('transaction.create', purchase) : call('market.adjust-stock', stock)
  })
  expect(new Set((await Promise.all(answers)).map(({ ok }) => ok))).toEqual(new Set([true]))
  expect(hosts.platform.actedOn('POST', '/v1/api/transactions', purchase)).toBe(10)
  const output = agents.map(({ agent }) => agent.output()).join('\n')
  expect(output).not.toContain('the store cannot be reached')
  expect(output).not.toContain('"level":"error"')
})

test('a database that forbids writes by a setting is named with the setting, and the start ends with exit 1', async () => {
  const name = await newDatabase(server)
  await using hosts = await StoreProcesses.start(name)
  await set(name, [['default_transaction_read_only', 'on']])
  const { agent } = await hosts.spawn('a')
  expect((await agent.ended).code).toBe(1)
  expect(agent.output()).toContain('default_transaction_read_only is on')
})

test('an agent that is refused after its connections were ended says why, and works again when the cause is gone', async () => {
  const name = await newDatabase(server)
  await using hosts = await StoreProcesses.start(name)
  const { agent } = await hosts.spawn('a')
  await agent.listening
  const endSessions = async () => {
    const { client, end } = await connectToStore(urlOfDatabase(server, 'postgres'), options, unexpected)
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    await end()
  }
  await set(name, [['default_transaction_read_only', 'on']])
  await endSessions()
  await agent.printed('default_transaction_read_only is on')
  await set(name, [['default_transaction_read_only', 'off']])
  await agent.printed('the store is there again')
  expect(agent.output().split('default_transaction_read_only is on').length).toBe(2)
  expect(await agent.call('transaction.create', purchase, 'x')).toMatchObject({ ok: true })
})

test.for(['LATIN1', 'SQL_ASCII'])(
  'a database in %s takes every text, or is refused before anything is made in it',
  async (encoding) => {
    const name = `in_${encoding.toLowerCase()}_${process.pid}`
    const admin = await connectToStore(urlOfDatabase(server, 'postgres'), options, unexpected)
    await admin.client.query(`CREATE DATABASE ${name} ENCODING '${encoding}' TEMPLATE template0 LOCALE 'C'`)
    await admin.end()
    await using opened = new AsyncDisposableStack()
    const open = async () => {
      const database = await Database.open({ ...databaseOptions(urlOfDatabase(server, name)), prepare: prepareSchema })
      opened.defer(() => database.close())
      const [row] = await database.query('SELECT $1::text AS text', ['espada 剣 ⚔️ 🗡'])
      return row?.['text']
    }
    if (encoding === 'SQL_ASCII') expect(await open()).toBe('espada 剣 ⚔️ 🗡')
    else {
      const refused = expect(open()).rejects
      await refused.toThrow(StoreUnusableError)
      await refused.toThrow(
        `the encoding ${encoding}, which cannot hold every text: make another one with CREATE DATABASE`,
      )
    }
  },
)
