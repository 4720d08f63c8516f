import { expect, test } from 'vitest'
import { inDoubt } from '../../../agent/call/answer.ts'
import { keyOfItem } from '../../../agent/call/call.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { LockedError } from '../../../agent/ownership/ownership.ts'
import { addObservations } from '../fixtures/observing-agent.ts'
import { endLease, renew } from '../fixtures/store-agent.ts'
import { longTexts, strangeTexts } from '../fixtures/strange-texts.ts'
import { answer, claim, idempotent, inTime, now, once, twoAgents, windowMs } from '../fixtures/two-agents.ts'

test('what a dead agent had is taken over: sent once calls are in doubt, others can be made again', async () => {
  const { a, b } = await twoAgents()
  const turn = a.turns.take('itemRef sword', 'join-now')
  await a.journal.claim(idempotent('idempotent'), turn, inTime())
  await claim(a, once('sent'))
  const behind = b.turns.take('itemRef sword', 'join-now')
  expect(await behind.wait(now())).toBe(false)
  const waiting = claim(b, once('sent'))
  await a.kill()
  expect(await renew(b)).toEqual([])
  await endLease(b, 'a')
  expect(await renew(b)).toEqual([{ name: 'a' }])
  expect(await waiting).toMatchObject({ kind: 'stored', answer: inDoubt })
  expect(await claim(b, idempotent('idempotent'))).toEqual({ kind: 'own' })
  expect(await behind.wait(inTime())).toBe(true)
  const repairs = await b.database.query(
    'SELECT key, quantity, due_at_ms > market_agent.now_ms() AS later FROM market_agent.repair',
  )
  expect(repairs).toEqual([{ key: 'itemRef sword', quantity: null, later: true }])
  await b.close()
})

test('a once call of a dead agent that had not had its turn is not in doubt', async () => {
  const { a, b } = await twoAgents()
  const before = b.turns.take('item', 'join-now')
  await before.wait(now())
  const turn = a.turns.take('item', 'join-now')
  expect(await a.journal.claim(once('x'), turn, inTime())).toEqual({ kind: 'own' })
  expect(await turn.wait(now())).toBe(false)
  await a.kill()
  await endLease(b, 'a')
  await renew(b)
  expect(await claim(b)).toEqual({ kind: 'own' })
  await b.close()
})

test('what a dead agent may have sent is repaired after its last envelope, however long its attempts may take', async () => {
  const { a, b } = await twoAgents({ attemptLifetimeMs: 322_000 })
  await a.journal.claim(idempotent('adjusted'), a.turns.take('itemRef sword', 'join-now'), inTime())
  await a.kill()
  await endLease(b, 'a')
  expect(await renew(b)).toEqual([{ name: 'a' }])
  const [repair] = await b.database.query(
    'SELECT due_at_ms - market_agent.now_ms() AS rest_ms FROM market_agent.repair',
  )
  expect(Number(repair?.['rest_ms'])).toBeGreaterThan(300_000)
  await b.close()
})

test('an agent is taken over from whatever its items are called, and a repair knows the whole name', async () => {
  const { a, b } = await twoAgents()
  const [ofA, ofB] = [(await addObservations(a)).observations, (await addObservations(b)).observations]
  const items = [...strangeTexts, ...longTexts]
  for (const item of items) {
    await a.turns.take(keyOfItem(item), 'join-now').wait(inTime())
    await ofA.apply(item, { kind: 'leave', quantity: 4, nowMs: now() }, 'must-be-stored')
  }
  const waiting = items.map((item) => b.turns.take(keyOfItem(item), 'join-now').wait(inTime()))
  await expect
    .poll(async () => (await b.database.query('SELECT FROM market_agent.ticket')).length)
    .toBe(items.length * 2)
  await a.kill()
  await endLease(b, 'a')
  expect(await renew(b)).toEqual([{ name: 'a' }])
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]))
  for (const [n, item] of items.entries())
    await ofB.apply(item, { kind: 'observe', quantity: n, nowMs: now() }, 'if-possible')
  await b.database.query('UPDATE market_agent.repair SET due_at_ms = 1')
  expect(new Set(await ofB.findDue())).toEqual(new Set(items))
  await b.close()
})

test('a dead agent that wakes up cannot write any more', async () => {
  const { a, b } = await twoAgents()
  await claim(a)
  await endLease(b, 'a')
  await renew(b)
  await expect(a.journal.recordAnswer(once('x'), answer, windowMs)).rejects.toThrow(StoreUnreachableError)
  await expect(claim(a, once('y'))).rejects.toThrow('epoch 1 is over')
  expect(a.failures.map(({ name }) => name)).toContain('StoreUnreachableError')
  expect(await claim(b)).toMatchObject({ kind: 'stored', answer: inDoubt })
  await a.kill()
  await b.close()
})

test('an agent that starts again takes over from itself at once; one with its name elsewhere may not', async () => {
  const { a, b, open } = await twoAgents()
  await claim(a)
  await a.kill()
  await expect(open('a', { stateId: 'elsewhere' })).rejects.toThrow(LockedError)
  await expect(open('a', { stateId: 'elsewhere' })).rejects.toThrow(/SERVICE_AGENT_NAME "a" .* locked by agent "a"/)
  const again = await open('a')
  expect(await claim(again)).toMatchObject({ kind: 'stored', answer: inDoubt })
  await again.kill()
  await endLease(b, 'a')
  const elsewhere = await open('a', { stateId: 'elsewhere' })
  await Promise.all([elsewhere.close(), b.close()])
})
