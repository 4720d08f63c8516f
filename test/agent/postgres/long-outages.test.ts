import { expect, test } from 'vitest'
import { freeTurn } from '../../../agent/call/turn.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { LockedError } from '../../../agent/ownership/ownership.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { addToStore } from '../../../agent/postgres/move-state.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { endLease, openStoreAgent, renew } from '../fixtures/store-agent.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'

const server = await sharedPostgres()
const hourMs = 3_600_000
const call = { id: 'x', fingerprint: 'f', operationName: 'transaction.create' }
const bothAlive = [
  { name: 'a', is_renewed: true },
  { name: 'b', is_renewed: true },
]

/** Two agents, each with a way to the store that can be cut, and a way of the test. */
async function twoAgents() {
  const name = await newDatabase(server)
  const proxies = [await startCuttableProxy(server), await startCuttableProxy(server)] as const
  const outside = await Database.open(databaseOptions(urlOfDatabase(server, name)))
  const a = await openStoreAgent(proxies[0], name, { name: 'a' })
  const b = await openStoreAgent(proxies[1], name, { name: 'b' })
  return {
    ...{ a, b, name, proxies, outside },
    leases: () =>
      outside.query(`SELECT name, lease_ends_ms - market_agent.now_ms() BETWEEN 5000 AND 15000 AS is_renewed
        FROM market_agent.agent ORDER BY name`),
    async setClock(byMs: number) {
      await outside.query(`CREATE OR REPLACE FUNCTION market_agent.now_ms() RETURNS bigint LANGUAGE sql
        RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${byMs}`)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([a.kill(), b.kill(), outside.close()])
      for (const proxy of proxies) proxy[Symbol.dispose]()
    },
  }
}

test('after an outage that was longer than a lease, the first agent that is back does not take over from the others', async () => {
  await using agents = await twoAgents()
  const { a, b, name, proxies, outside, leases } = agents
  for (const proxy of proxies) proxy.cut()
  await expect.poll(() => [a, b].every(({ database }) => database.problem)).toBe(true)
  await outside.query(`
    UPDATE market_agent.agent SET lease_ends_ms = market_agent.now_ms() - 30000;
    UPDATE market_agent.store SET heard_ms = market_agent.now_ms() - 45000;`)
  proxies[0].heal()
  await expect.poll(() => a.database.problem).toBeUndefined()
  expect(await renew(a)).toEqual([])
  await expect(openStoreAgent(server, name, { name: 'c', isStandby: true })).rejects.toThrow(LockedError)
  expect(await leases()).toEqual(bothAlive)
  proxies[1].heal()
  await expect.poll(() => b.database.problem).toBeUndefined()
  expect(await b.journal.claim(call, freeTurn, systemClock.monotonicMs())).toEqual({ kind: 'own' })
  expect([...a.failures, ...b.failures]).toEqual([])
})

test('an agent that is back renews its lease at once, and one that died in an outage is taken over one lease later', async () => {
  await using agents = await twoAgents()
  const { a, b, proxies, outside, leases } = agents
  proxies[0].cut()
  await b.kill()
  await expect.poll(() => a.database.problem).toBeDefined()
  await outside.query('UPDATE market_agent.store SET heard_ms = 1; UPDATE market_agent.agent SET lease_ends_ms = 1')
  proxies[0].heal()
  await expect.poll(() => a.database.problem).toBeUndefined()
  expect([await leases(), a.lease.mayBegin()]).toEqual([bothAlive, true])
  expect(await renew(a)).toEqual([])
  await endLease(a, 'b')
  await expect.poll(() => a.tookOver, { timeout: 5_000 }).toEqual(['b'])
})

test('a standby takes over from dead agents although it looks so rarely that each look comes after a break', async () => {
  await using agents = await twoAgents()
  const { a, b, name, setClock } = agents
  await Promise.all([a.kill(), b.kill()])
  const look = () => openStoreAgent(server, name, { name: 'c', isStandby: true })
  for (const passedMs of [7_000, 14_000, 21_000]) {
    await setClock(passedMs)
    await expect(look()).rejects.toThrow(LockedError)
  }
  await setClock(28_000)
  await using standby = await look()
  expect(standby.lease.mayBegin()).toBe(true)
})

test('an agent that was heard gets a lease of time after each outage', async () => {
  await using agents = await twoAgents()
  const { a, b, setClock, leases } = agents
  for (const passedMs of [20_000, 40_000, 60_000]) {
    await setClock(passedMs)
    expect([await renew(a), await renew(b)]).toEqual([[], []])
  }
  expect(await leases()).toEqual(bothAlive)
})

test.each([
  ['forward', hourMs],
  ['back', -hourMs],
])("when the database's clock jumps %s, agents that are alive stay alive, and leases stay short", async (_, byMs) => {
  await using agents = await twoAgents()
  const { a, b, setClock, leases } = agents
  await setClock(byMs)
  expect([await renew(a), await renew(a)]).toEqual([[], []])
  expect(await leases()).toEqual(bothAlive)
  await b.kill()
  await endLease(a, 'b')
  expect(await renew(a)).toEqual([{ name: 'b' }])
})

test.each([
  ['forward', hourMs],
  ['back', -hourMs],
])(
  "when the database's clock jumps %s, what may arrive late is repaired neither earlier nor much later",
  async (_, byMs) => {
    await using agents = await twoAgents()
    const { a, outside, setClock } = agents
    const rests = async () =>
      (
        await outside.query(
          'SELECT key, due_at_ms - market_agent.now_ms() AS rest_ms FROM market_agent.repair ORDER BY key',
        )
      ).map(({ key, rest_ms }) => [key, Math.round(Number(rest_ms) / 10_000)])
    const expectLate = (key: string, restMs: number) =>
      outside.query(
        'INSERT INTO market_agent.repair (key, quantity, due_at_ms) VALUES ($1, 1, market_agent.now_ms() + $2)',
        [key, restMs],
      )
    await renew(a)
    await expectLate('itemRef a', 60_000)
    await expectLate('itemRef b', -20_000)
    await setClock(byMs)
    await renew(a)
    expect(await rests()).toEqual([
      ['itemRef a', 6],
      ['itemRef b', byMs > 0 ? expect.any(Number) : -2],
    ])
  },
)

test("when the database's clock jumps back, the window of an id is no longer than before", async () => {
  await using agents = await twoAgents()
  const { a, outside, setClock } = agents
  await a.journal.recordAnswer(call, { ok: true, dataText: '{}' }, 600_000)
  await setClock(-hourMs)
  await renew(a)
  const [row] = await outside.query('SELECT ends_at_ms - market_agent.now_ms() AS rest_ms FROM market_agent.call')
  expect(Number(row?.['rest_ms'])).toBeGreaterThan(590_000)
  expect(Number(row?.['rest_ms'])).toBeLessThan(610_000)
})

test('a repair that is moved into a store where no agent was for long is due when it was', async () => {
  await using agents = await twoAgents()
  const { a, b, outside } = agents
  await Promise.all([a.close(), b.close()])
  await outside.query('UPDATE market_agent.store SET heard_ms = 1')
  const repairs = [{ itemRef: 'sword', quantity: 3, restMs: 60_000 }]
  const kept = { calls: [], lateMs: 0, repairs, orders: [], observations: [] }
  await addToStore(outside, { stateDirId: 'dir of a', world: '' }, kept)
  const again = await openStoreAgent(server, agents.name, { name: 'a' })
  const [row] = await outside.query('SELECT due_at_ms - market_agent.now_ms() AS rest_ms FROM market_agent.repair')
  expect(Number(row?.['rest_ms'])).toBeGreaterThan(50_000)
  expect(Number(row?.['rest_ms'])).toBeLessThan(61_000)
  await again.close()
})
