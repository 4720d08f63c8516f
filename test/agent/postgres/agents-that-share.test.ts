import { expect, test } from 'vitest'
import { type CallAnswer, inDoubt } from '../../../agent/call/answer.ts'
import { keyOfItem } from '../../../agent/call/call.ts'
import type { KnownObservations } from '../../../agent/call/observations.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { StoreNotAskedError, StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { LockedError } from '../../../agent/ownership/ownership.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { Lease } from '../../../agent/postgres/lease.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { endLease, openStoreAgent, renew, type StoreAgent } from '../fixtures/store-agent.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'
import { longTexts, strangeTexts } from '../fixtures/strange-texts.ts'

const server = await sharedPostgres()
const windowMs = 600_000
const answer: CallAnswer = { ok: true, dataText: '{"n": 1.50}' }
const once = (id: string, fingerprint = `of ${id}`) => ({ id, fingerprint, operationName: 'transaction.create' })
const idempotent = (id: string) => ({ ...once(id), operationName: 'market.adjust-stock' })
const inTime = () => systemClock.monotonicMs() + 60_000
const now = () => systemClock.monotonicMs()
const claim = ({ journal }: StoreAgent, call = once('x'), deadlineMs = inTime()) =>
  journal.claim(call, freeTurn, deadlineMs)

/** Two agents, `a` and `b`, on one database. */
async function twoAgents() {
  const name = await newDatabase(server)
  const a = await openStoreAgent(server, name, { name: 'a' })
  const b = await openStoreAgent(server, name, { name: 'b' })
  return {
    a,
    b,
    name,
    open: (agent: string, stateId?: string) =>
      openStoreAgent(server, name, { name: agent, ...(stateId && { stateId }) }),
  }
}

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

test('what a dead agent may have sent is repaired after its last envelope, however long its attempts may take', async () => {
  const name = await newDatabase(server)
  const a = await openStoreAgent(server, name, { name: 'a', attemptLifetimeMs: 322_000 })
  const b = await openStoreAgent(server, name, { name: 'b' })
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
  await expect(open('a', 'elsewhere')).rejects.toThrow(LockedError)
  await expect(open('a', 'elsewhere')).rejects.toThrow(/SERVICE_AGENT_NAME "a" .* locked by agent "a"/)
  const again = await open('a')
  expect(await claim(again)).toMatchObject({ kind: 'stored', answer: inDoubt })
  await again.kill()
  await endLease(b, 'a')
  const elsewhere = await open('a', 'elsewhere')
  await Promise.all([elsewhere.close(), b.close()])
})

/** A stock call of an agent, from its turn to its end. */
async function adjust({ turns }: StoreAgent, known: KnownObservations, quantity: number, acted: boolean) {
  const turn = turns.take('itemRef sword', 'join-now')
  await turn.wait(inTime())
  await known.apply('sword', { kind: 'leave', quantity, nowMs: now() }, 'must-be-stored')
  const lateUntilMs = acted ? 0 : now() + 60_000
  await known.apply(
    'sword',
    { kind: 'end', effect: acted ? 'acted' : 'in-doubt', lastAttemptMs: now(), lateUntilMs },
    'if-possible',
  )
  turn.release()
}
async function repair({ turns }: StoreAgent, known: KnownObservations) {
  const turn = turns.take('itemRef sword', 'join-now')
  await turn.wait(inTime())
  const event = { kind: 'repair', nowMs: now(), lateUntilMs: now() + 60_000 } as const
  const state = await known.apply('sword', event, 'in-memory')
  if (state.at === 'repairing') await known.apply('sword', { kind: 'settle' }, 'if-possible')
  turn.release()
  return state
}
const repairsOf = ({ database }: StoreAgent) => database.query('SELECT key, quantity FROM market_agent.repair')
const letAttemptsExpire = ({ database }: StoreAgent) => database.query('UPDATE market_agent.repair SET due_at_ms = 1')
const observing = async () => {
  const agents = await twoAgents()
  const open = ({ journal }: StoreAgent) => journal.openObservations({ clock: systemClock, lifetimeMs: 60_000 })
  return { ...agents, ofA: open(agents.a), ofB: open(agents.b) }
}

test('an attempt that one agent abandoned is repaired by any agent, once, with the newest observation of all', async () => {
  const { a, b, ofA, ofB } = await observing()
  await adjust(a, ofA, 5, false)
  expect(await repairsOf(b)).toEqual([{ key: 'itemRef sword', quantity: null }])
  await adjust(b, ofB, 3, true)
  expect(await repairsOf(b)).toEqual([{ key: 'itemRef sword', quantity: '3' }])
  expect(await ofB.findDue()).toEqual([])
  await letAttemptsExpire(a)
  expect([await ofA.findDue(), await ofB.findDue()]).toEqual([['sword'], ['sword']])
  const repairs = await Promise.all([repair(a, ofA), repair(b, ofB)])
  expect(repairs.map(({ at }) => at).sort()).toEqual(['quiet', 'repairing'])
  expect(repairs.find(({ at }) => at === 'repairing')).toMatchObject({ quantity: 3 })
  expect(await repairsOf(a)).toEqual([])
  await Promise.all([a.close(), b.close()])
})

test('an observation that another agent reports while a call is under way is what a repair sends', async () => {
  const { a, b, ofA, ofB } = await observing()
  await adjust(a, ofA, 5, false)
  const turn = a.turns.take('itemRef sword', 'join-now')
  await turn.wait(inTime())
  await ofA.apply('sword', { kind: 'leave', quantity: 4, nowMs: now() }, 'must-be-stored')
  await ofB.apply('sword', { kind: 'observe', quantity: 2, nowMs: now() }, 'if-possible')
  const end = { kind: 'end', effect: 'acted', lastAttemptMs: now(), lateUntilMs: 0 } as const
  await ofA.apply('sword', end, 'if-possible')
  expect(await repairsOf(b)).toEqual([{ key: 'itemRef sword', quantity: '2' }])
  await Promise.all([a.close(), b.close()])
})

test('an item without late attempts costs no statement besides its turn', async () => {
  const { a, b, ofA } = await observing()
  await adjust(a, ofA, 5, true)
  expect(await repairsOf(b)).toEqual([])
  await Promise.all([a.close(), b.close()])
})

test('what an agent that died may have sent is repaired with the newest observation', async () => {
  const { a, b, ofA, ofB } = await observing()
  await adjust(a, ofA, 5, false)
  const turn = a.turns.take('itemRef sword', 'join-now')
  await turn.wait(inTime())
  await ofA.apply('sword', { kind: 'leave', quantity: 4, nowMs: now() }, 'must-be-stored')
  await a.kill()
  await endLease(b, 'a')
  await renew(b)
  expect(await repairsOf(b)).toEqual([{ key: 'itemRef sword', quantity: '4' }])
  await adjust(b, ofB, 1, true)
  await letAttemptsExpire(b)
  expect(await repair(b, ofB)).toMatchObject({ at: 'repairing', quantity: 1 })
  await b.close()
})

test('an answer is given to everybody when the store comes back before the deadline of its call', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await openStoreAgent(proxy, name, { name: 'a', timeoutMs: 500 })
  const b = await openStoreAgent(server, name, { name: 'b' })
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
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await openStoreAgent(proxy, name, { name: 'a', timeoutMs: 500 })
  const b = await openStoreAgent(server, name, { name: 'b' })
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

test('a once call whose answer was not stored stays in doubt for everybody', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await openStoreAgent(proxy, name, { name: 'a', timeoutMs: 500 })
  const b = await openStoreAgent(server, name, { name: 'b' })
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

test('an id that an agent gives back twice keeps the answer that another agent got in between', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await openStoreAgent(proxy, name, { name: 'a', timeoutMs: 500 })
  const b = await openStoreAgent(server, name, { name: 'b' })
  await claim(a)
  proxy.loseAnswers()
  await expect(a.journal.release(once('x'))).rejects.toThrow(StoreUnreachableError)
  expect(await claim(b)).toEqual({ kind: 'own' })
  await b.journal.recordAnswer(once('x'), answer, windowMs)
  proxy.heal()
  await expect.poll(() => claim(a).catch(() => undefined)).toMatchObject({ kind: 'stored', answer })
  await Promise.all([a.close(), b.close()])
})

test('an equal call that waits for another agent while the store is away gets the answer of that agent', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const a = await openStoreAgent(server, name, { name: 'a' })
  const b = await openStoreAgent(proxy, name, { name: 'b' })
  await claim(a)
  const [waiting, impatient] = [claim(b), claim(b, once('x'), now() + 1_500)]
  const isAwaited = () => a.database.query('SELECT is_awaited FROM market_agent.call')
  await expect.poll(isAwaited).toEqual([{ is_awaited: true }])
  // Both know that another agent is at work.
  await b.database.idle()
  proxy.cut()
  await expect.poll(() => b.database.problem).toBeDefined()
  await a.journal.recordAnswer(once('x'), answer, windowMs)
  expect(await impatient).toEqual({ kind: 'under-way', fingerprint: 'of x' })
  proxy.heal()
  expect(await waiting).toMatchObject({ kind: 'stored', answer })
  await Promise.all([a.close(), b.close()])
})

/** Agent `a` behind a network that holds back what it sends, and `b`. */
async function agentAndLateNetwork() {
  const name = await newDatabase(server)
  const proxy = await startCuttableProxy(server)
  const a = await openStoreAgent(proxy, name, { name: 'a', timeoutMs: 500 })
  const b = await openStoreAgent(server, name, { name: 'b' })
  return { a, b, name, proxy }
}

test('what an agent wrote on an earlier connection is not done late: its answers', async () => {
  const { a, b, proxy } = await agentAndLateNetwork()
  using _proxy = proxy
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
  const { a, b, proxy } = await agentAndLateNetwork()
  using _proxy = proxy
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
  const { a, name, proxy } = await agentAndLateNetwork()
  using _proxy = proxy
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
  await again.close()
})

test('an agent is taken over from whatever its items are called, and a repair knows the whole name', async () => {
  const { a, b, ofA, ofB } = await observing()
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
  await letAttemptsExpire(b)
  expect(new Set(await ofB.findDue())).toEqual(new Set(items))
  await b.close()
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
