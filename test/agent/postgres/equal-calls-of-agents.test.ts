import { expect, test } from 'vitest'
import { keyOfItem } from '../../../agent/call/call.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import type { StoreAgent } from '../fixtures/store-agent.ts'
import { longTexts, strangeTexts } from '../fixtures/strange-texts.ts'
import { answer, claim, inTime, now, once, twoAgents, twoAgentsOneCuttable, windowMs } from '../fixtures/two-agents.ts'

test('an equal call on another agent gets the answer of the one that is under way', async () => {
  const { a, b } = await twoAgents()
  expect(await claim(a)).toEqual({ kind: 'own' })
  const waiting = claim(b)
  await a.journal.recordIntent(once('x'))
  await a.journal.recordAnswer(once('x'), answer, windowMs)
  expect(await waiting).toMatchObject({ kind: 'stored', answer, fingerprint: 'of x' })
  await Promise.all([a.close(), b.close()])
})

test('of equal calls that begin at the same moment on two agents, one is executed', async () => {
  const { a, b } = await twoAgents()
  for (let n = 0; n < 20; n++) {
    const call = once(`same ${n}`)
    const claims = await Promise.all([a, b].map((agent) => agent.journal.claim(call, freeTurn, now())))
    expect(claims.map(({ kind }) => kind).sort()).toEqual(['own', 'under-way'])
  }
  await Promise.all([a.close(), b.close()])
})

test('an equal call on another agent is told at its deadline, and a different one at once', async () => {
  const { a, b } = await twoAgents()
  await claim(a)
  expect(await claim(b, once('x'), now() + 50)).toEqual({ kind: 'under-way', fingerprint: 'of x' })
  expect(await claim(b, once('x', 'other'))).toEqual({ kind: 'under-way', fingerprint: 'of x' })
  await Promise.all([a.close(), b.close()])
})

test('when a call ended without a stored answer, the equal one on another agent is executed', async () => {
  const { a, b } = await twoAgents()
  await claim(a)
  const waiting = claim(b)
  await a.journal.release(once('x'))
  expect(await waiting).toEqual({ kind: 'own' })
  await Promise.all([a.close(), b.close()])
})

test('a request that was claimed and not answered waits for an equal call that another agent executes', async () => {
  const { a, b } = await twoAgents()
  await claim(b)
  expect(await a.journal.findUnanswered('x')).toBeUndefined()
  const waiting = claim(a)
  await b.journal.recordAnswer(once('x'), answer, windowMs)
  expect(await waiting).toMatchObject({ kind: 'stored', answer })
  expect(await a.journal.findUnanswered('x')).toMatchObject({ answer })
  await Promise.all([a.close(), b.close()])
})

/** Leaves the store no room. @returns Makes room again. */
async function fill({ database }: StoreAgent): Promise<() => Promise<void>> {
  const tables = ['call', 'store']
  await database.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$`)
  for (const table of tables)
    await database.query(`CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON market_agent.${table}
      FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`)
  return async () => {
    for (const table of tables) await database.query(`DROP TRIGGER full_disk ON market_agent.${table}`)
  }
}

test('a call that another agent executes is under way although the store is full', async () => {
  const { a, b } = await twoAgents()
  await claim(a)
  await fill(b)
  expect(await claim(b)).toEqual({ kind: 'under-way', fingerprint: 'of x' })
  await Promise.all([a.close(), b.close()])
})

test('an id that a full store has not taken back is not told to be in doubt', async () => {
  const { a, b } = await twoAgents()
  await claim(a)
  const makeRoom = await fill(a)
  await expect(a.journal.release(once('x'))).rejects.toThrow(StoreFullError)
  await expect(claim(a)).rejects.toThrow(StoreFullError)
  await makeRoom()
  await expect.poll(() => claim(a).catch(() => undefined)).toEqual({ kind: 'own' })
  await Promise.all([a.close(), b.close()])
})

test('an equal call that waits for another agent while the store is away gets the answer of that agent', async () => {
  using agents = await twoAgentsOneCuttable()
  const { a, b, proxy } = agents
  await claim(b)
  const [waiting, impatient] = [claim(a), claim(a, once('x'), now() + 1_500)]
  const isAwaited = () => b.database.query('SELECT is_awaited FROM market_agent.call')
  await expect.poll(isAwaited).toEqual([{ is_awaited: true }])
  // Both know that another agent is at work.
  await a.database.idle()
  proxy.cut()
  await expect.poll(() => a.database.problem).toBeDefined()
  await b.journal.recordAnswer(once('x'), answer, windowMs)
  expect(await impatient).toEqual({ kind: 'under-way', fingerprint: 'of x' })
  proxy.heal()
  expect(await waiting).toMatchObject({ kind: 'stored', answer })
  await Promise.all([a.close(), b.close()])
})

test('an id and the turn of an item may have any characters, at once', async () => {
  const { a, b } = await twoAgents()
  for (const text of [...strangeTexts, ...longTexts]) {
    const id = text.slice(0, 255)
    const turn = a.turns.take(keyOfItem(text), 'join-now')
    expect(await a.journal.claim(once(id, 'f'), turn, inTime())).toEqual({ kind: 'own' })
    turn.release()
    await a.journal.recordAnswer(once(id, 'f'), answer, windowMs)
    expect(await claim(b, once(id, 'f'))).toMatchObject({ kind: 'stored', answer })
    await b.journal.release(once(id, 'f'))
  }
  await Promise.all([a.close(), b.close()])
})
