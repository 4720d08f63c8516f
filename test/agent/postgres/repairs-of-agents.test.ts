import { expect, test } from 'vitest'
import {
  addObservations,
  adjust,
  beginRepair,
  end,
  haveTurn,
  item,
  keyOfSword,
  leave,
  type ObservingAgent,
  observe,
  settleRepair,
} from '../fixtures/observing-agent.ts'
import { endLease, renew, type StoreAgent } from '../fixtures/store-agent.ts'
import { twoAgents } from '../fixtures/two-agents.ts'

/** Two agents of which each knows about the stock of items. */
async function twoObservingAgents() {
  const { a, b } = await twoAgents()
  return { a: await addObservations(a), b: await addObservations(b) }
}

/** Sends the newest observation again, if that is due. */
async function repair(agent: ObservingAgent) {
  const turn = await haveTurn(agent)
  const state = await beginRepair(agent)
  if (state.at === 'repairing') await settleRepair(agent)
  turn.release()
  return state
}

const repairsOf = ({ database }: StoreAgent) => database.query('SELECT key, quantity FROM market_agent.repair')
const letAttemptsExpire = ({ database }: StoreAgent) => database.query('UPDATE market_agent.repair SET due_at_ms = 1')

test('an attempt that one agent abandoned is repaired by any agent, once, with the newest observation of all', async () => {
  const { a, b } = await twoObservingAgents()
  await adjust(a, 5, 'in-doubt')
  expect(await repairsOf(b)).toEqual([{ key: keyOfSword, quantity: null }])
  await adjust(b, 3, 'acted')
  expect(await repairsOf(b)).toEqual([{ key: keyOfSword, quantity: '3' }])
  expect(await b.observations.findDue()).toEqual([])
  await letAttemptsExpire(a)
  expect([await a.observations.findDue(), await b.observations.findDue()]).toEqual([[item], [item]])
  const repairs = await Promise.all([repair(a), repair(b)])
  expect(repairs.map(({ at }) => at).sort()).toEqual(['quiet', 'repairing'])
  expect(repairs.find(({ at }) => at === 'repairing')).toMatchObject({ quantity: 3 })
  expect(await repairsOf(a)).toEqual([])
  await Promise.all([a.close(), b.close()])
})

test('an observation that another agent reports while a call is under way is what a repair sends', async () => {
  const { a, b } = await twoObservingAgents()
  await adjust(a, 5, 'in-doubt')
  await haveTurn(a)
  await leave(a, 4)
  await observe(b, 2)
  await end(a, 'acted')
  expect(await repairsOf(b)).toEqual([{ key: keyOfSword, quantity: '2' }])
  await Promise.all([a.close(), b.close()])
})

test('an item without late attempts costs no statement besides its turn', async () => {
  const { a, b } = await twoObservingAgents()
  const turn = await haveTurn(a)
  const { query } = a.database
  a.database.query = () => expect.unreachable()
  await leave(a, 5)
  await end(a, 'acted')
  a.database.query = query
  turn.release()
  expect(await repairsOf(b)).toEqual([])
  await Promise.all([a.close(), b.close()])
})

test('what an agent that died may have sent is repaired with the newest observation', async () => {
  const { a, b } = await twoObservingAgents()
  await adjust(a, 5, 'in-doubt')
  await haveTurn(a)
  await leave(a, 4)
  await a.kill()
  await endLease(b, 'a')
  await renew(b)
  expect(await repairsOf(b)).toEqual([{ key: keyOfSword, quantity: '4' }])
  await adjust(b, 1, 'acted')
  await letAttemptsExpire(b)
  expect(await repair(b)).toMatchObject({ at: 'repairing', quantity: 1 })
  await b.close()
})
