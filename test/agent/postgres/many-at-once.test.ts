import { expect, test } from 'vitest'
import { freeTurn } from '../../../agent/call/turn.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { openStoreAgent, renew, type StoreAgent } from '../fixtures/store-agent.ts'
import { newDatabase } from '../fixtures/store-database.ts'

const server = await sharedPostgres()
const rounds = 25
const call = (id: string) => ({ id, fingerprint: 'f', operationName: 'transaction.create' })
const inTime = () => systemClock.monotonicMs() + 60_000

/** What an agent does in the first moment after an outage. */
async function everything(agent: StoreAgent, round: number): Promise<void> {
  const { database, journal, turns, lease, listings } = agent
  const turn = turns.take(`itemRef of ${round}`, 'join-now')
  const expectLate = (item: number) =>
    database.query('SELECT market_agent.expect_late($1, $2, 1000)', [lease.epoch, `itemRef of ${item}`])
  const all = [
    renew(agent),
    journal.claim(call(`same ${round}`), freeTurn, systemClock.monotonicMs()),
    journal
      .claim(call(`of ${lease.epoch} in ${round}`), turn, inTime())
      .then(() => turn.wait(systemClock.monotonicMs())),
    listings.begin(`item ${round}`),
    expectLate(round),
    expectLate(round - 1),
    database.query('SELECT market_agent.remove_closed($1, 1e18)', [lease.epoch]),
    renew(agent),
  ]
  const failed = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected')
  turn.release()
  for (const { reason } of failed as PromiseRejectedResult[])
    if (!/epoch \d+ is over/.test(String(reason))) throw reason
}

test('agents that come back at the same moment, all too late, never wait for each other in a circle', async () => {
  const databaseName = await newDatabase(server)
  const open = (name: string) => openStoreAgent(server, databaseName, { name })
  const agents = new Map<string, StoreAgent>()
  for (let round = 0; round < rounds; round++) {
    for (const name of ['a', 'b', 'c', 'd']) if (!agents.has(name)) agents.set(name, await open(name))
    const [{ database }] = [...agents.values()] as [StoreAgent]
    await database.query('UPDATE market_agent.agent SET lease_ends_ms = 0')
    await Promise.all([...agents.values()].map((agent) => everything(agent, round)))
    const alive = await database.query('SELECT epoch FROM market_agent.agent')
    for (const [name, agent] of agents) {
      if (alive.some(({ epoch }) => epoch === agent.lease.epoch)) continue
      await agent.kill()
      agents.delete(name)
    }
  }
  const [{ database }] = [...agents.values()] as [StoreAgent]
  const sql = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'
  expect(await database.query(sql)).toEqual([{ deadlocks: '0' }])
  for (const agent of agents.values()) await agent.kill()
})
