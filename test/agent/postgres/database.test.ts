import { expect, test } from 'vitest'
import { StoreFullError, StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { channel, Database } from '../../../agent/postgres/database.ts'
import { LeaseLostError } from '../../../agent/postgres/statement-error.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { type CuttableProxy, startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'

type Given = Parameters<typeof databaseOptions>[1]
const server = await sharedPostgres()

/** Opens a database of its own, behind a proxy. */
async function open(given: Given = {}) {
  const proxy = await startCuttableProxy(server)
  const name = await newDatabase(server)
  const changes: boolean[] = []
  const onChange = (problem: Error | undefined) => void changes.push(problem === undefined)
  const database = await Database.open(databaseOptions(urlOfDatabase(proxy, name), { onChange, ...given }))
  return { database, proxy, name, changes }
}

async function inDatabase(
  run: (parts: { database: Database; proxy: CuttableProxy; name: string; changes: boolean[] }) => Promise<void>,
  given: Given = {},
): Promise<void> {
  const parts = await open(given)
  using _proxy = parts.proxy
  await run(parts)
  await parts.database.close()
}

const one = async (database: Database) => (await database.query('SELECT 1 AS n'))[0]?.['n']
const isThere = (database: Database) => expect.poll(() => database.problem).toBeUndefined()

test('more statements than there are sessions can be under way', () =>
  inDatabase(async ({ database }) => {
    const all = Array.from({ length: 50 }, (_, n) => database.query('SELECT $1::int AS n', [n]))
    expect((await Promise.all(all)).map(([row]) => row?.['n'])).toEqual(Array.from({ length: 50 }, (_, n) => n))
  }))

test('a transaction is done as a whole or not at all', () =>
  inDatabase(async ({ database }) => {
    await database.query('CREATE TABLE t (n int)')
    const failing = database.transact(async (query) => {
      await query('INSERT INTO t VALUES (1)')
      throw new Error('changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    expect(await database.transact((query) => query('INSERT INTO t VALUES (2) RETURNING n'))).toEqual([{ n: 2 }])
    expect(await database.query('SELECT n FROM t')).toEqual([{ n: 2 }])
  }))

test('a wrong statement fails without harm to the others', () =>
  inDatabase(async ({ database, changes }) => {
    await expect(database.query('SELECT 1 / 0')).rejects.toThrow('division by zero')
    expect(await one(database)).toBe(1)
    expect(changes).toEqual([true])
  }))

test('a statement with values is read only once in a session', () =>
  inDatabase(async ({ database }) => {
    await database.transact(async (query) => {
      for (const n of [1, 2, 3]) await query('SELECT $1::int AS n', [n])
      const planned = `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement = 'SELECT $1::int AS n'`
      expect(await query(planned)).toEqual([{ count: 1 }])
    })
  }))

test('a session whose plan the schema has outgrown is replaced, and the statement can be repeated', () =>
  inDatabase(async ({ database }) => {
    await database.query('CREATE TABLE t (n int)')
    const read = () => database.query('SELECT * FROM t WHERE n <> $1', [0])
    for (let sessions = 0; sessions < 8; sessions++) await Promise.all(Array.from({ length: 8 }, read))
    await database.query('ALTER TABLE t ADD COLUMN other int')
    await expect(read()).rejects.toThrow(StoreUnreachableError)
    await isThere(database)
    expect(await read()).toEqual([])
  }))

test('a full disk and a lost lease are told from other failures', () =>
  inDatabase(async ({ database }) => {
    const raise = (code: string) => database.query(`DO $$ BEGIN RAISE 'no' USING ERRCODE = '${code}'; END $$`)
    await expect(raise('53100')).rejects.toThrow(StoreFullError)
    await expect(raise('MA001')).rejects.toThrow(LeaseLostError)
    expect(database.problem).toBeUndefined()
  }))

test('a cut connection fails what is under way, then each statement at once, and comes back by itself', () =>
  inDatabase(async ({ database, proxy, changes }) => {
    const underWay = database.query('SELECT pg_sleep(3600)')
    await one(database)
    proxy.cut()
    await expect(underWay).rejects.toThrow(StoreUnreachableError)
    for (const ask of [
      () => one(database),
      () => database.queryAtOnce('SELECT 1'),
      () => database.transact(one.bind(null, database)),
    ])
      await expect(ask()).rejects.toThrow(StoreUnreachableError)
    proxy.heal()
    await isThere(database)
    expect(await one(database)).toBe(1)
    expect(changes).toEqual([true, false, true])
  }))

test('a statement whose answer is lost is not sent again', () =>
  inDatabase(
    async ({ database, proxy }) => {
      await database.query('CREATE TABLE t (n int)')
      proxy.loseAnswers()
      await expect(database.query('INSERT INTO t VALUES (1)')).rejects.toThrow(StoreUnreachableError)
      proxy.heal()
      await isThere(database)
      expect(await database.query('SELECT n FROM t')).toEqual([{ n: 1 }])
    },
    { timeoutMs: 500 },
  ))

test('a server that is silent is away in time, and closing does not wait for it', () =>
  inDatabase(
    async ({ database, proxy }) => {
      proxy.silence()
      await expect(one(database)).rejects.toThrow(StoreUnreachableError)
      expect(database.problem).toBeInstanceOf(StoreUnreachableError)
    },
    { timeoutMs: 500 },
  ))

test('the end of one session ends the connection, also if nothing is under way', () =>
  inDatabase(async ({ database, name, changes }) => {
    const rows = await database.query('SELECT pg_backend_pid() AS pid')
    const other = await Database.open(databaseOptions(urlOfDatabase(server, name)))
    await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.['pid']])
    await expect.poll(() => changes).toEqual([true, false, true])
    expect(await one(database)).toBe(1)
    await other.close()
  }))

test('a server that became read-only is away', () =>
  inDatabase(async ({ database, name, changes }) => {
    await database.query('CREATE TABLE t (n int)')
    await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await expect(
      database.transact(async (query) => {
        await query('SET TRANSACTION READ ONLY')
        await query('INSERT INTO t VALUES (1)')
      }),
    ).rejects.toThrow(StoreUnreachableError)
    await expect.poll(() => database.problem?.message).toContain('read-only')
    const admin = await Database.open(databaseOptions(urlOfDatabase(server, 'postgres')))
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = off`)
    await isThere(database)
    expect(changes).toEqual([true, false, true])
    await admin.close()
  }))

test('notifications of others arrive, and after a reconnection a listener is told that some may be lost', () =>
  inDatabase(async ({ database, proxy, name }) => {
    const heard: (string | undefined)[] = []
    const stop = database.listen((payload) => heard.push(payload))
    const other = await Database.open(databaseOptions(urlOfDatabase(server, name)))
    const notify = (payload: string) => other.query('SELECT pg_notify($1, $2)', [channel, payload])
    await notify('one')
    await expect.poll(() => heard).toEqual(['one'])
    proxy.cut()
    await notify('lost')
    proxy.heal()
    await expect.poll(() => heard).toEqual(['one', undefined])
    await notify('two')
    await expect.poll(() => heard).toEqual(['one', undefined, 'two'])
    stop()
    await other.close()
  }))

test('a connection is used when it is prepared, and not if that fails', async () => {
  await expect(
    open({
      prepare: async () => {
        throw new Error('not ours')
      },
    }),
  ).rejects.toThrow('not ours')
  let isPrepared = true
  await inDatabase(
    async ({ database, proxy }) => {
      isPrepared = false
      proxy.cut()
      await expect.poll(() => database.problem).toBeDefined()
      proxy.heal()
      await expect.poll(() => isPrepared, { interval: 10 }).toBe(true)
      await isThere(database)
    },
    {
      prepare: async (query) => {
        await query('SELECT 1')
        const wasPrepared = isPrepared
        isPrepared = true
        if (!wasPrepared) throw new Error('not yet')
      },
    },
  )
})

test('closing lets statements end that were begun, and leaves no session', async () => {
  const { database, proxy, name } = await open()
  using _proxy = proxy
  const underWay = database.query('SELECT pg_sleep(0.1), 1 AS n')
  await database.close()
  expect(await underWay).toMatchObject([{ n: 1 }])
  await expect(one(database)).rejects.toThrow(StoreUnreachableError)
  const admin = await Database.open(databaseOptions(urlOfDatabase(server, 'postgres')))
  const sessions = () => admin.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [name])
  await expect.poll(sessions).toEqual([])
  await admin.close()
})
