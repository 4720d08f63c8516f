import { expect, test } from 'vitest'
import { StoreUnusableError } from '../../../agent/database/store-errors.ts'
import { connectToStore } from '../../../agent/postgres/connect.ts'
import type { Query } from '../../../agent/postgres/database.ts'
import { prepareSchema } from '../../../agent/postgres/prepare-schema.ts'
import { type SchemaVersion, schemaVersions } from '../../../agent/postgres/schema.ts'
import type { StoreSession } from '../../../agent/postgres/session.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'

const server = await sharedPostgres()
let databases = 0

const latest = schemaVersions.length
const next: SchemaVersion = { sql: 'CREATE TABLE market_agent.later (n integer)', usableFrom: latest }

function connect(database: string, user = 'postgres'): Promise<StoreSession> {
  const hosts = [{ host: server.socketDir, port: server.port, isRemote: false }] as const
  const options = { ca: undefined, timeoutMs: 60_000, applicationName: 'test' }
  return connectToStore({ hosts, user, password: undefined, database }, options, () => expect.unreachable('it ended'))
}

/** Runs a test in a database of its own. */
async function inDatabase(run: (session: StoreSession, database: string) => Promise<void>): Promise<void> {
  const database = `schema_${++databases}`
  const admin = await connect('postgres')
  await admin.client.query(`CREATE DATABASE ${database}`)
  await admin.end()
  const session = await connect(database)
  await run(session, database)
  await session.end()
}

const queryOf =
  ({ client }: StoreSession): Query =>
  async (sql, values = []) =>
    (await client.query(sql, [...values])).rows
const versionOf = async ({ client }: StoreSession) =>
  (await client.query('SELECT version, usable_from FROM market_agent.store')).rows
const tablesOf = async ({ client }: StoreSession) => {
  const { rows } = await client.query(
    `SELECT relname FROM pg_class WHERE relnamespace = 'market_agent'::regnamespace AND relkind = 'r' ORDER BY 1`,
  )
  return rows.map(({ relname }) => relname)
}

test('agents that start at the same time make the schema once', () =>
  inDatabase(async (session, database) => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => connect(database)))
    await Promise.all(sessions.map((one) => prepareSchema(queryOf(one))))
    await Promise.all(sessions.map((one) => one.end()))
    expect(await versionOf(session)).toEqual([{ version: latest, usable_from: 1 }])
    await prepareSchema(queryOf(session))
    expect(await versionOf(session)).toHaveLength(1)
  }))

test('an earlier version is brought to this one, and agents of both work with it', () =>
  inDatabase(async (session) => {
    await prepareSchema(queryOf(session))
    await prepareSchema(queryOf(session), [...schemaVersions, next])
    expect(await versionOf(session)).toEqual([{ version: latest + 1, usable_from: latest }])
    expect(await tablesOf(session)).toContain('later')
    await prepareSchema(queryOf(session))
    expect(await versionOf(session)).toEqual([{ version: latest + 1, usable_from: latest }])
  }))

test('a version that this program cannot work with is refused and left as it is', () =>
  inDatabase(async (session) => {
    const newer = [...schemaVersions, { ...next, usableFrom: latest + 1 }]
    await prepareSchema(queryOf(session), newer)
    const refusal = prepareSchema(queryOf(session))
    await expect(refusal).rejects.toThrow(StoreUnusableError)
    await expect(refusal).rejects.toThrow(`newer version of market-agent (${latest + 1}, this one knows ${latest})`)
    await prepareSchema(queryOf(session), newer)
    expect(await versionOf(session)).toEqual([{ version: latest + 1, usable_from: latest + 1 }])
  }))

test("another program's schema is refused and left as it is", () =>
  inDatabase(async (session) => {
    await session.client.query('CREATE SCHEMA market_agent; CREATE TABLE market_agent.goods (n integer)')
    await expect(prepareSchema(queryOf(session))).rejects.toThrow(StoreUnusableError)
    expect(await tablesOf(session)).toEqual(['goods'])
  }))

test('an upgrade that fails changes nothing', () =>
  inDatabase(async (session) => {
    await prepareSchema(queryOf(session))
    const broken = [...schemaVersions, next, { sql: 'SELECT 1 / 0', usableFrom: latest }]
    await expect(prepareSchema(queryOf(session), broken)).rejects.toThrow('division by zero')
    expect(await versionOf(session)).toEqual([{ version: latest, usable_from: 1 }])
    expect(await tablesOf(session)).not.toContain('later')
  }))

test('a user that may not make a schema is told so. One that an administrator made is enough', () =>
  inDatabase(async (session, database) => {
    const user = `game_${databases}`
    await session.client.query(`CREATE ROLE ${user} LOGIN`)
    const game = await connect(database, user)
    await expect(prepareSchema(queryOf(game))).rejects.toThrow(/this user may not make or change it/)
    await session.client.query(`CREATE SCHEMA market_agent AUTHORIZATION ${user}`)
    await prepareSchema(queryOf(game))
    expect(await versionOf(game)).toEqual([{ version: latest, usable_from: 1 }])
    await game.end()
  }))
