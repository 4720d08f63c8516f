import { expect, test } from 'vitest'
import { inDoubt } from '../../../agent/call/answer.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { Lease } from '../../../agent/postgres/lease.ts'
import { openStoreAgent } from '../fixtures/store-agent.ts'
import { databaseOptions, urlOfDatabase } from '../fixtures/store-database.ts'
import { answer, claim, inTime, now, once, twoAgentsOneCuttable, windowMs } from '../fixtures/two-agents.ts'

test('what an agent wrote on an earlier connection is not done late: its answers', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  await claim(a)
  proxy.holdBack()
  await expect(a.journal.recordAnswer(once('x'), answer, windowMs)).rejects.toThrow(StoreUnreachableError)
  proxy.heal()
  const isOver = () => b.database.query('SELECT epoch IS NULL AS is_over FROM market_agent.call')
  await expect.poll(isOver).toEqual([{ is_over: true }])
  await proxy.deliver()
  expect((await b.journal.find('x'))?.answer).toEqual(inDoubt)
  await Promise.all([a.close(), b.close()])
})

test('what an agent wrote on an earlier connection is not done late: the end of a turn', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  const first = a.turns.take('item', 'join-now')
  await first.wait(inTime())
  proxy.holdBack()
  first.release()
  await expect.poll(() => a.database.problem).toBeDefined()
  proxy.heal()
  await expect.poll(() => b.database.query('SELECT FROM market_agent.ticket')).toEqual([])
  const second = a.turns.take('item', 'join-now')
  // It is refused until the end of the first one, which is owed, was written again.
  await expect.poll(() => second.wait(inTime()).catch(() => false)).toBe(true)
  await proxy.deliver()
  expect(await b.turns.take('item', 'join-now').wait(now())).toBe(false)
  await Promise.all([a.close(), b.close()])
})

test('what an agent wrote on an earlier connection is not done late: its beginning', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, name, proxy, server } = agents
  await a.close()
  const slow = await Database.open(databaseOptions(urlOfDatabase(proxy, name), { timeoutMs: 500 }))
  const query = slow.queryAtOnce.bind(slow)
  slow.queryAtOnce = (sql, values) => {
    if (sql.includes('begin_epoch')) proxy.holdBack()
    return query(sql, values)
  }
  const agent = {
    name: 'a',
    stateId: 'of a',
    stateDirId: 'dir of a',
    world: '',
    isStandby: false,
    attemptLifetimeMs: 32_000,
  }
  const options = { database: slow, clock: systemClock, ...agent }
  const nothing = { underWay: () => ({ keys: [], turns: [], ids: [] }) }
  const ignored = { ...nothing, onTakeOver: () => undefined, onError: () => undefined }
  await expect(Lease.begin({ ...options, ...ignored })).rejects.toThrow(StoreUnreachableError)
  await slow.close()
  const again = await openStoreAgent(server, name, { name: 'a' })
  await proxy.deliver()
  expect(await claim(again)).toEqual({ kind: 'own' })
  await Promise.all([again.close(), b.close()])
})
