import { expect, test } from 'vitest'
import { type StoreFacts, storeChecks } from '../../../agent/check/store-stages.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { checkSetup } from '../fixtures/check-setup.ts'
import { startPostgres } from '../fixtures/postgres-server.ts'
import { newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'
import { StoreProcesses } from '../fixtures/store-processes.ts'

const names = ['store', 'store-schema', 'store-commits', 'store-agents'] as const
const url = urlOfDatabase({ port: 5432 }, 'game')
const self = { name: 'a', world: '' }
const there: StoreFacts & { at: 'there' } = {
  at: 'there',
  host: url.hosts[0],
  rivals: [],
  serverVersion: '18.4',
  clockMs: 1_234,
  settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', synchronous_standby_names: '' },
  schema: { at: 'ours', version: 1, usableFrom: 1, agents: [] },
}
const verdictOf = (facts: StoreFacts, name: string, at = url, who = self) => {
  const { ok, message, cure } = storeChecks(facts, at, who).find((found) => found.name === name) ?? {}
  return [ok, message, cure]
}

test('check looks at the store: where it is, its schema, its commits, and who shares it', async () => {
  await using hosts = await StoreProcesses.start()
  const { agent, proxy } = await hosts.spawn('host-1', { SERVICE_WORLD: 'north' })
  await agent.listening
  using ready = checkSetup()
  const settings = { SERVICE_STORE_URL: hosts.urlAt(proxy.port), SERVICE_WORLD: 'south' }
  const found = (await ready.online(settings)).filter(({ name }) => names.some((one) => one === name))
  expect(found).toMatchObject([
    { name: 'store', ok: true, message: expect.stringMatching(/^PostgreSQL 1\d.* accepts writes/) },
    { name: 'store-schema', ok: true, message: 'market_agent: version 1' },
    // The server of the tests does not sync.
    { name: 'store-commits', ok: true, cure: 'set fsync = on in postgresql.conf' },
    { name: 'store-agents', ok: true, message: expect.stringMatching(/^host-1 \(north\), lease \d+ s$/) },
  ])
  expect((await ready.online(settings)).some(({ name }) => name === 'journal' || name === 'orders-ledger')).toBe(false)
  proxy.cut()
  expect((await ready.online(settings)).find(({ name }) => name === 'store')).toMatchObject({
    ok: false,
    cure: 'look at the database that SERVICE_STORE_URL names',
  })
})

test('two servers that both accept writes are wrong, and two names of one server are not', async () => {
  await using rival = await startPostgres()
  const server = await sharedPostgres()
  using ready = checkSetup()
  const storeOf = async (...ports: number[]) => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
    const found = await ready.online({ SERVICE_STORE_URL: `postgres://postgres@${hosts}/postgres` })
    return found.find(({ name }) => name === 'store')
  }
  expect(await storeOf(server.port, rival.port)).toMatchObject({
    ok: false,
    message: `several servers accept writes: 127.0.0.1:${server.port}, 127.0.0.1:${rival.port}`,
    cure: expect.stringContaining('stop the servers'),
  })
  expect(await storeOf(server.port, server.port)).toMatchObject({ ok: true })
})

test('check makes nothing in a database without a schema', async () => {
  const server = await sharedPostgres()
  const name = await newDatabase(server)
  using ready = checkSetup()
  const settings = { SERVICE_STORE_URL: `postgres://postgres@127.0.0.1:${server.port}/${name}` }
  for (let times = 0; times < 2; times++)
    expect((await ready.online(settings)).find((found) => found.name === 'store-schema')?.message).toBe(
      'market_agent does not exist yet; the first start makes it',
    )
  expect(await ready.stages(['store'], settings)).toMatchObject([{ ok: null, message: 'left out by --offline' }])
})

test('a schema that cannot be used is wrong, with the way out', () => {
  const withSchema = (schema: (typeof there)['schema']) => verdictOf({ ...there, schema }, 'store-schema')
  expect(withSchema({ at: 'foreign' })).toEqual([
    false,
    expect.any(String),
    expect.stringContaining('another database'),
  ])
  expect(withSchema({ at: 'missing', mayMake: false })).toEqual([
    false,
    expect.any(String),
    expect.stringContaining('market-agent store schema'),
  ])
  expect(withSchema({ at: 'ours', version: 9, usableFrom: 9, agents: [] })[0]).toBe(false)
  expect(withSchema({ at: 'ours', version: 9, usableFrom: 1, agents: [] })[0]).toBe(true)
})

test('commits that a failover may lose leave a word, and those that wait for a standby none', () => {
  const [host] = url.hosts
  const several = { ...url, hosts: [host, host] as const }
  const withSettings = (settings: Partial<(typeof there)['settings']>) =>
    verdictOf({ ...there, settings: { ...there.settings, ...settings } }, 'store-commits', several)[2]
  expect(verdictOf(there, 'store-commits')).toEqual([true, "each commit is on the server's disk", null])
  expect(withSettings({})).toContain('synchronous_standby_names')
  expect(withSettings({ synchronous_standby_names: 'ANY 1 (*)', synchronous_commit: 'local' })).toContain('ANY 1')
  expect(withSettings({ synchronous_standby_names: 'ANY 1 (*)' })).toBeNull()
  expect(withSettings({ full_page_writes: 'off' })).toContain('full_page_writes')
})

test('agents with and without a world are a mistake; a dead one is not counted', () => {
  const agents = [
    { name: 'b', world: 'north', restMs: 9_000 },
    { name: 'c', world: '', restMs: -1 },
  ]
  const facts = { ...there, schema: { ...there.schema, agents } } as StoreFacts
  expect(verdictOf(facts, 'store-agents')[2]).toContain('SERVICE_WORLD')
  expect(verdictOf(facts, 'store-agents', url, { name: 'a', world: 'x' })).toEqual([true, 'b (north), lease 9 s', null])
})
