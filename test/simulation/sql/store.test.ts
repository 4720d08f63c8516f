import { afterAll, expect, test } from 'vitest'
import { storeUrlOf } from '../../../agent/config/store-url.ts'
import type { StoreSession } from '../../../agent/postgres/session.ts'
import { ModelHost } from '../host.ts'
import { Random } from '../random.ts'
import { Scheduler, worldActor } from '../scheduler.ts'
import { Trace } from '../trace.ts'
import { endStoreEngine, StoreCluster, storeEngine, storeUrl } from './store-cluster.ts'

afterAll(endStoreEngine)

const engine = await storeEngine()
const url = storeUrlOf(storeUrl)
const starter = worldActor('starter')

interface Client {
  readonly store: StoreCluster
  /** How many of its sessions have ended by themselves. */
  readonly ended: { count: number }
  readonly connect: () => Promise<StoreSession>
  readonly sleep: (delayMs: number) => Promise<void>
}

/** Runs a client of a store to its end. */
async function inWorld<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const random = new Random('1')
  const scheduler = new Scheduler(random, new Trace())
  const store = new StoreCluster(engine, scheduler, random)
  store.start()
  const ended = { count: 0 }
  let outcome: Promise<Result> | undefined
  let isOver = false
  const program = new ModelHost('here', scheduler, random).install('client', (process) => {
    outcome = work({
      store,
      ended,
      connect: () => store.network.connect(process, 'here', url, () => ended.count++),
      sleep: (delayMs) => new Promise((resolve) => void process.after(delayMs, 'wakes', resolve)),
    }).finally(() => {
      isOver = true
    })
    outcome.catch(() => undefined)
  })
  scheduler.after(1, starter, 'starts the client', () => program.start())
  await scheduler.run(() => isOver)
  program.process?.end()
  store.crash()
  if (!outcome) throw new Error('the client waits for something that never happens')
  return outcome
}

/** Writes the row of a call that has an answer. */
const put = ({ client }: StoreSession, id: string) =>
  client.query(
    `INSERT INTO market_agent.call (id, fingerprint, operation, state_dir_id, in_doubt, answer, ends_at_ms)
       VALUES ($1, '', '', '', false, '', 0)`,
    [id],
  )
const putLazily = async (session: StoreSession, id: string) => {
  await session.client.query('BEGIN')
  await session.client.query('SET LOCAL synchronous_commit = off')
  await put(session, id)
  await session.client.query('COMMIT')
}
const idsIn = (store: StoreCluster) => store.look('SELECT id FROM market_agent.call ORDER BY id')?.map(({ id }) => id)

test('a crash loses the commits since the last one that waited for the disk', async () => {
  const ids = await inWorld(async ({ connect, store }) => {
    const session = await connect()
    await putLazily(session, 'long ago')
    store.delaySyncs()
    await putLazily(session, 'before')
    await put(session, 'synced')
    await putLazily(session, 'lost 1')
    await putLazily(session, 'lost 2')
    store.crash()
    store.start()
    return idsIn(store)
  })
  expect(ids).toEqual(['before', 'long ago', 'synced'])
})

test('a world begins with commits that no crash loses, whatever the one before was going to lose', async () => {
  await inWorld(async ({ store }) => {
    store.crash()
    store.delaySyncs()
  })
  const ids = await inWorld(async ({ connect, store }) => {
    const session = await connect()
    await put(session, 'synced')
    store.delaySyncs()
    await putLazily(session, 'lost')
    store.crash()
    store.start()
    return idsIn(store)
  })
  expect(ids).toEqual(['synced'])
})

test('a change and a removal that are lost leave the row as it was', async () => {
  const rows = await inWorld(async ({ connect, store }) => {
    const { client } = await connect()
    const call = `(id, fingerprint, operation, state_dir_id, in_doubt, answer, ends_at_ms)`
    await client.query(`INSERT INTO market_agent.call ${call} VALUES
      ('changed', '\\u0000 é', '', '', false, 'before', 1), ('removed', '', '', '', false, 'before', 1)`)
    store.delaySyncs()
    await client.query('BEGIN; SET LOCAL synchronous_commit = off')
    await client.query(`UPDATE market_agent.call SET answer = 'after' WHERE id = 'changed'`)
    await client.query(`DELETE FROM market_agent.call WHERE id = 'removed'`)
    await client.query('COMMIT')
    store.failOver()
    return store.look('SELECT id, fingerprint, answer FROM market_agent.call ORDER BY id')
  })
  expect(rows).toEqual([
    { id: 'changed', fingerprint: '\\u0000 é', answer: 'before' },
    { id: 'removed', fingerprint: '', answer: 'before' },
  ])
})

test('the host that accepts writes is found again after a failover', async () => {
  const hosts = await inWorld(async ({ connect, store, ended, sleep }) => {
    const before = await connect()
    store.failOver()
    await sleep(100)
    await expect(before.client.query('SELECT 1')).rejects.toThrow('not queryable')
    const after = await connect()
    return [before.host.host, ended.count, after.host.host]
  })
  expect(hosts).toEqual(['db-1', 1, 'db-2'])
})

test('no host accepts writes while the server is down', () =>
  inWorld(async ({ connect, store, sleep }) => {
    store.crash()
    await expect(connect()).rejects.toThrow('db-1:5432: connect ECONNREFUSED; db-2:5432: read-only')
    store.start()
    await sleep(10)
    await expect(connect()).resolves.toBeDefined()
  }))

test('a statement that the network holds back is done when its client has given up', async () => {
  const ids = await inWorld(async ({ connect, store, sleep }) => {
    const session = await connect()
    const heal = store.network.wayOf('here').cut()
    await expect(put(session, 'late')).rejects.toThrow('timeout')
    const before = idsIn(store)
    heal()
    await sleep(100)
    return [before, idsIn(store)]
  })
  expect(ids).toEqual([[], ['late']])
})

test('a transaction waits for another one, and the server ends one that waits for its client', async () => {
  await inWorld(async ({ connect, ended, sleep }) => {
    const [idle, other] = [await connect(), await connect()]
    await idle.client.query('BEGIN')
    await put(idle, 'never committed')
    await sleep(1_000)
    await other.client.query('SELECT 1')
    await sleep(50)
    expect(ended.count).toBe(1)
    const { rows } = await other.client.query('SELECT count(*)::int AS count FROM market_agent.call')
    expect(rows).toEqual([{ count: 0 }])
  })
})

test('a notification reaches every session that listens, when it is committed', async () => {
  const heard = await inWorld(async ({ connect, sleep }) => {
    const [listener, deaf, notifier] = [await connect(), await connect(), await connect()]
    const payloads: string[] = []
    await listener.client.query('LISTEN market_agent')
    listener.client.on('notification', ({ payload }) => payloads.push(`heard ${payload}`))
    deaf.client.on('notification', () => payloads.push('nobody asked'))
    await notifier.client.query('BEGIN')
    await notifier.client.query(`SELECT pg_notify('market_agent', 'ended')`)
    await sleep(50)
    payloads.push('commits')
    await notifier.client.query('COMMIT')
    await sleep(50)
    return payloads
  })
  expect(heard).toEqual(['commits', 'heard ended'])
})

test('the settings of one session are not those of another one', async () => {
  const names = await inWorld(async ({ connect }) => {
    const [one, other] = [await connect(), await connect()]
    await one.client.query(`SELECT set_config('market_agent.connection', 'one', false)`)
    await other.client.query(`SELECT set_config('market_agent.connection', 'other', false)`)
    const { rows } = await one.client.query(`SELECT current_setting('market_agent.connection') AS name`)
    return rows[0]?.['name']
  })
  expect(names).toBe('one')
})

test('a full disk takes no row, neither of a statement nor in a transaction, and can be read', async () => {
  const found = await inWorld(async ({ connect, store }) => {
    const session = await connect()
    await put(session, 'before')
    const makeRoom = store.fill()
    await expect(put(session, 'alone')).rejects.toMatchObject({ code: '53100' })
    await expect(putLazily(session, 'in a transaction')).rejects.toMatchObject({ code: '53100' })
    await session.client.query('ROLLBACK')
    const { rows } = await session.client.query('SELECT id FROM market_agent.call')
    makeRoom()
    await put(session, 'after')
    return [rows, idsIn(store)]
  })
  expect(found).toEqual([[{ id: 'before' }], ['after', 'before']])
})
