import { expect, test } from 'vitest'
import { inDoubt } from '../../../agent/call/answer.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { answer, claim, idempotent, inTime, once, twoAgentsOneCuttable, windowMs } from '../fixtures/two-agents.ts'

test('an answer is given to everybody when the store comes back before the deadline of its call', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  for (const id of ['x', 'y']) await claim(a, once(id))
  proxy.loseAnswers()
  const recorded = Promise.all(['x', 'y'].map((id) => a.journal.recordAnswer(once(id), answer, windowMs, inTime())))
  await expect.poll(() => a.database.problem).toBeDefined()
  proxy.heal()
  await recorded
  for (const id of ['x', 'y'])
    for (const agent of [a, b]) expect(await claim(agent, once(id))).toMatchObject({ kind: 'stored', answer })
  await Promise.all([a.close(), b.close()])
})

test('an answer that is stored stays, although the agent that stored it could not know that and said uncertain', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  await claim(a)
  proxy.loseAnswers()
  await expect(a.journal.recordAnswer(once('x'), answer, windowMs)).rejects.toThrow(StoreUnreachableError)
  expect(await claim(b)).toMatchObject({ kind: 'stored', answer })
  proxy.heal()
  await expect.poll(() => a.database.problem, { timeout: 5_000 }).toBeUndefined()
  // Everything that is owed is written before the end.
  expect(await claim(a)).toMatchObject({ kind: 'stored', answer: inDoubt })
  await a.close()
  expect(await claim(b)).toMatchObject({ kind: 'stored', answer })
  await b.close()
})

test('an answer whose window cannot be restarted stays the answer', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  await claim(a)
  await a.journal.recordAnswer(once('x'), answer, windowMs)
  proxy.silence()
  await a.journal.restartWindow('x', answer)
  proxy.heal()
  await expect.poll(() => a.database.problem, { timeout: 5_000 }).toBeUndefined()
  for (const agent of [a, b]) expect(await claim(agent)).toMatchObject({ kind: 'stored', answer })
  await Promise.all([a.close(), b.close()])
})

test('a once call whose answer was not stored stays in doubt for everybody', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  for (const id of ['x', 'y']) await claim(a, once(id))
  await claim(a, idempotent('z'))
  proxy.silence()
  await expect(a.journal.recordAnswer(once('x'), answer, windowMs)).rejects.toThrow(StoreUnreachableError)
  await expect(a.journal.recordAnswer(once('y'), answer, windowMs)).rejects.toThrow(StoreUnreachableError)
  await expect(a.journal.release(idempotent('z'))).rejects.toThrow(StoreUnreachableError)
  expect(await claim(a)).toMatchObject({ kind: 'stored', answer: inDoubt })
  await expect(claim(a, idempotent('z'))).rejects.toThrow(StoreUnreachableError)
  proxy.heal()
  for (const id of ['x', 'y']) {
    await expect.poll(async () => (await b.journal.find(id))?.answer).toEqual(inDoubt)
    expect(await claim(b, once(id))).toMatchObject({ kind: 'stored', answer: inDoubt })
  }
  expect(await claim(b, idempotent('z'))).toEqual({ kind: 'own' })
  await Promise.all([a.close(), b.close()])
})

test('an id that an agent gives back twice keeps the answer that another agent got in between', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  await claim(a)
  proxy.loseAnswers()
  await expect(a.journal.release(once('x'))).rejects.toThrow(StoreUnreachableError)
  expect(await claim(b)).toEqual({ kind: 'own' })
  await b.journal.recordAnswer(once('x'), answer, windowMs)
  proxy.heal()
  await expect.poll(() => claim(a).catch(() => undefined)).toMatchObject({ kind: 'stored', answer })
  await Promise.all([a.close(), b.close()])
})
