import { expect, test } from 'vitest'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { StoreNotAskedError } from '../../../agent/database/store-errors.ts'
import type { StoreAgent } from '../fixtures/store-agent.ts'
import { answer, claim, idempotent, inTime, now, once, twoAgents, windowMs } from '../fixtures/two-agents.ts'

test('the turn of a key goes from agent to agent in the order in which they asked', async () => {
  const { a, b } = await twoAgents()
  const order: string[] = []
  const run = async ({ turns }: StoreAgent, name: string) => {
    const turn = turns.take('item', 'join-now')
    await turn.wait(inTime())
    order.push(name)
    turn.release()
  }
  const first = a.turns.take('item', 'join-now')
  expect(await first.wait(now())).toBe(true)
  const ofB = b.turns.take('item', 'join-now')
  expect(await ofB.wait(now())).toBe(false)
  const runs = [run(a, 'a'), run(b, 'b')]
  expect(await b.turns.take('other item', 'join-now').wait(now())).toBe(true)
  first.release()
  expect(await ofB.wait(inTime())).toBe(true)
  ofB.release()
  await Promise.all(runs)
  expect(order.sort()).toEqual(['a', 'b'])
  await Promise.all([a.close(), b.close()])
})

test('a turn is never had by two agents', async () => {
  const { a, b } = await twoAgents()
  let holders = 0
  let most = 0
  const work = async ({ turns }: StoreAgent) => {
    const turn = turns.take('item', 'join-now')
    expect(await turn.wait(inTime())).toBe(true)
    most = Math.max(most, ++holders)
    await systemClock.nextTurn()
    holders--
    turn.release()
  }
  await Promise.all(Array.from({ length: 40 }, (_, n) => work(n % 2 ? a : b)))
  expect(most).toBe(1)
  await Promise.all([a.close(), b.close()])
})

test('a call with an id and a key costs two round trips. Its turn ends when its answer is stored', async () => {
  const { a, b } = await twoAgents()
  const query = a.database.query.bind(a.database)
  let statements = 0
  a.database.query = (...args) => {
    statements++
    return query(...args)
  }
  const turn = a.turns.take('item', 'join-now')
  expect(await a.journal.claim(once('x'), turn, inTime())).toEqual({ kind: 'own' })
  expect(await turn.wait(inTime())).toBe(true)
  await a.journal.recordIntent(once('x'))
  turn.release()
  expect(await b.turns.take('item', 'join-now').wait(now())).toBe(false)
  await a.journal.recordAnswer(once('x'), answer, windowMs)
  expect(statements).toBe(2)
  expect(await b.turns.take('item', 'join-now').mustWait()).toBe(true)
  await Promise.all([a.close(), b.close()])
})

test('an agent that ends while it gives a turn back ends cleanly', async () => {
  const { a, b } = await twoAgents()
  for (let n = 0; n < 50; n++) {
    const turn = a.turns.take(`item ${n}`, 'join-now')
    await turn.wait(inTime())
    turn.release()
  }
  await a.close()
  expect(a.failures).toEqual([])
  await b.close()
})

test('an agent that ends begins nothing more, and a call that comes too late does not find its life over', async () => {
  const { a, b } = await twoAgents()
  await a.journal.close()
  expect([a.lease.mayBegin(), a.lease.restMs]).toEqual([false, 0])
  const late = [a.turns.take('item', 'join-now').wait(inTime()), claim(a), a.journal.release(idempotent('y'))]
  for (const each of late) await expect(each).rejects.toThrow(StoreNotAskedError)
  expect(a.failures).toEqual([])
  await Promise.all([a.database.close(), b.close()])
})
