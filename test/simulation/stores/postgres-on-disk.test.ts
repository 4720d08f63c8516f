import { afterAll, expect, test } from 'vitest'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import type { Database } from '../../../agent/postgres/database.ts'
import { postgresUnderTest, startCrashableServer } from './postgres-on-disk.ts'

const server = await startCrashableServer()
afterAll(() => server[Symbol.asyncDispose]())

const underTest = () => postgresUnderTest(server, async (database) => ({ database, close: async () => undefined }))
const valuesOf = async (database: Database) => (await database.query('SELECT n FROM t ORDER BY n')).map(({ n }) => n)
const putUnsynced = (database: Database, n: number) =>
  database.transact(async (query) => {
    await query('SET LOCAL synchronous_commit = off')
    await query('INSERT INTO t VALUES ($1)', [n])
  })

test('a kill of the agent takes no commit, and a power cut takes those that were not synced', async () => {
  await using disk = await underTest()
  await disk.run(async ({ store: { database } }) => {
    await database.query('CREATE TABLE t (n int)')
    await putUnsynced(database, 1)
  }, 'kill')
  await disk.run(async ({ store: { database } }) => {
    expect(await valuesOf(database)).toEqual([1])
    await database.query('INSERT INTO t VALUES (2)')
    await putUnsynced(database, 3)
  }, 'power cut')
  await disk.run(async ({ store: { database } }) => expect(await valuesOf(database)).toEqual([1, 2]))
})

test('the time of the database passes when a test says so', async () => {
  await using disk = await underTest()
  const nowMs = async (database: Database) =>
    Number((await database.query('SELECT market_agent.now_ms() AS ms'))[0]?.['ms'])
  await disk.run(async ({ store: { database }, pass }) => {
    const before = await nowMs(database)
    await pass(3_600_000)
    const passedMs = (await nowMs(database)) - before
    expect(passedMs).toBeGreaterThanOrEqual(3_600_000)
    expect(passedMs).toBeLessThan(7_200_000)
  })
})

test('a full disk takes no write until there is room', async () => {
  await using disk = await underTest()
  await disk.run(async ({ store: { database }, setFull }) => {
    const write = () => database.query('UPDATE market_agent.store SET version = version')
    await setFull(true)
    await expect(write()).rejects.toThrow(StoreFullError)
    await setFull(false)
    await write()
  })
})
