import { afterAll, expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { LeaseLostError } from '../../../agent/postgres/statement-error.ts'
import { startCrashableServer } from '../../simulation/stores/postgres-on-disk.ts'
import { startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { order as event } from '../fixtures/events.ts'
import { openStoreAgent, renew, type StoreAgent } from '../fixtures/store-agent.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'

const server = await startCrashableServer()
afterAll(() => server[Symbol.asyncDispose]())

const key = 'itemRef sword'
const answer: CallAnswer = { ok: true, dataText: '{}' }
const once = (id: string) => ({ id, fingerprint: 'f', operationName: 'transaction.create' })
const idempotent = (id: string) => ({ ...once(id), operationName: 'market.adjust-stock' })
const now = () => systemClock.monotonicMs()
const inTime = () => now() + 60_000
const soon = () => now() + 2_500
/** A commit that is waited for takes every earlier one along. */
const sync = (agent: StoreAgent) => renew(agent)

/** Two agents over a store that loses in a power cut, or in a failover, what nobody waited for. */
async function twoAgents() {
  await server.holdBackWrites()
  const name = await newDatabase(server)
  const proxy = await startCuttableProxy(server)
  const a = await openStoreAgent(proxy, name, { name: 'a' })
  const b = await openStoreAgent(server, name, { name: 'b' })
  const areBack = () => expect.poll(() => a.database.problem ?? b.database.problem).toBeUndefined()
  return {
    ...{ a, b, proxy, areBack },
    async cutPower() {
      await server.cutPower()
      await areBack()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([a.kill(), b.kill()])
      proxy[Symbol.dispose]()
    },
  }
}

test('a turn whose end was lost with the power of the store is given back all the same', async () => {
  await using agents = await twoAgents()
  const { a, b, cutPower } = agents
  const turn = a.turns.take(key, 'join-now')
  expect(await a.journal.claim(idempotent('x'), turn, inTime())).toEqual({ kind: 'own' })
  await sync(a)
  turn.release()
  await a.journal.recordAnswer(idempotent('x'), answer, 600_000)
  await cutPower()
  expect(await b.turns.take(key, 'join-now').wait(soon())).toBe(true)
})

test('an id that was given back is free for other agents, although that was lost with the power of the store', async () => {
  await using agents = await twoAgents()
  const { a, b, cutPower } = agents
  for (const call of [idempotent('x'), once('y')]) await a.journal.claim(call, freeTurn, inTime())
  await sync(a)
  for (const call of [once('y'), idempotent('x')]) await a.journal.release(call)
  await cutPower()
  for (const call of [idempotent('x'), once('y')])
    expect(await b.journal.claim(call, freeTurn, soon())).toEqual({ kind: 'own' })
})

test('an agent keeps its turn when the store loses its power, also if another agent is back earlier', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy, areBack } = agents
  const turn = a.turns.take(key, 'join-now')
  expect(await turn.wait(inTime())).toBe(true)
  proxy.cut()
  await server.cutPower()
  await expect.poll(() => b.database.problem).toBeUndefined()
  const next = b.turns.take(key, 'join-now')
  expect(await next.wait(soon())).toBe(false)
  proxy.heal()
  await areBack()
  expect(await next.wait(soon())).toBe(false)
  turn.release()
  expect(await next.wait(inTime())).toBe(true)
})

test('ids that are under way when the store loses its power stay with their agent', async () => {
  await using agents = await twoAgents()
  const { a, b, cutPower } = agents
  for (const call of [idempotent('x'), once('y')]) await a.journal.claim(call, freeTurn, inTime())
  await cutPower()
  for (const call of [idempotent('x'), once('y')])
    expect(await b.journal.claim(call, freeTurn, now())).toMatchObject({ kind: 'under-way' })
  for (const call of [idempotent('x'), once('y')]) await a.journal.recordAnswer(call, answer, 600_000)
  for (const call of [idempotent('x'), once('y')])
    expect(await b.journal.claim(call, freeTurn, inTime())).toMatchObject({ kind: 'stored', answer })
})

test('an agent whose beginning was lost ends, although another life has the number of its own now', async () => {
  const name = await newDatabase(server)
  using proxy = await startCuttableProxy(server)
  const lost = await openStoreAgent(proxy, name, { name: 'lost' })
  proxy.cut()
  await expect.poll(() => lost.database.problem).toBeDefined()
  const outside = await Database.open(databaseOptions(urlOfDatabase(server, name)))
  await outside.query(
    `DELETE FROM market_agent.agent; DELETE FROM market_agent.present; SELECT setval('market_agent.epochs', ${lost.lease.epoch}, false)`,
  )
  const other = await openStoreAgent(server, name, { name: 'other' })
  expect(other.lease.epoch).toBe(lost.lease.epoch)
  proxy.heal()
  await expect.poll(() => lost.failures[0], { timeout: 5_000 }).toBeInstanceOf(LeaseLostError)
  expect(await other.journal.claim(once('x'), freeTurn, inTime())).toEqual({ kind: 'own' })
  await lost.kill()
  await Promise.all([other.close(), outside.close()])
})

test('an order that a failover has lost is put back by the agent that hands it over, with its reply', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy } = agents
  const ledgers = [a, b].map(({ openLedger }) =>
    openLedger({ onFull: () => undefined, onUnregistered: () => undefined }),
  )
  const [ofA, ofB] = ledgers as [OrderLedger, OrderLedger]
  const order = { ...newOrder(event, JSON.stringify(event), 1), phase: 'taken', result: 'DELIVERED' } as const
  await ofA.change(order.transactionId, () => ({ order }))
  proxy.cut()
  await expect.poll(() => a.database.problem).toBeDefined()
  await b.database.query('DELETE FROM market_agent.orders')
  proxy.heal()
  await expect.poll(() => ofB.find(order.transactionId), { timeout: 10_000 }).toEqual(order)
  await Promise.all(ledgers.map((ledger) => ledger.close()))
})

test('an agent whose old ticket came back with a power cut waits for the agent that has the turn since', async () => {
  await using agents = await twoAgents()
  const { a, b, cutPower } = agents
  const first = a.turns.take(key, 'join-now')
  expect(await a.journal.claim(idempotent('x'), first, inTime())).toEqual({ kind: 'own' })
  const others = b.turns.take(key, 'join-now')
  const hasCome = others.wait(inTime())
  await expect.poll(() => a.database.query('SELECT FROM market_agent.ticket').then((rows) => rows.length)).toBe(2)
  await sync(a)
  first.release()
  await a.journal.recordAnswer(idempotent('x'), answer, 600_000)
  expect(await hasCome).toBe(true)
  await cutPower()
  const again = a.turns.take(key, 'join-now')
  expect(await again.wait(soon())).toBe(false)
  others.release()
  expect(await again.wait(inTime())).toBe(true)
})

/** `a` claims a once call and waits for the turn that `b` has. The store loses the claim. */
async function loseClaim(a: StoreAgent, b: StoreAgent) {
  const held = b.turns.take(key, 'join-now')
  expect(await held.wait(inTime())).toBe(true)
  const turn = a.turns.take(key, 'join-now')
  expect(await a.journal.claim(once('x'), turn, inTime())).toEqual({ kind: 'own' })
  await b.database.query('DELETE FROM market_agent.call')
  return { held, turn }
}

test('a once call whose claim was lost with the power of the store is noted again before it is sent', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const { held, turn } = await loseClaim(a, b)
  held.release()
  expect(await turn.wait(inTime())).toBe(true)
  await a.journal.recordIntent(once('x'))
  expect(await b.database.query('SELECT id, in_doubt FROM market_agent.call')).toEqual([{ id: 'x', in_doubt: true }])
})

test('a once call whose lost claim another agent has made and answered is not sent', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const { held, turn } = await loseClaim(a, b)
  expect(await b.journal.claim(once('x'), freeTurn, inTime())).toEqual({ kind: 'own' })
  await b.journal.recordAnswer(once('x'), answer, 600_000)
  held.release()
  expect(await turn.wait(inTime())).toBe(true)
  await expect(a.journal.recordIntent(once('x'))).rejects.toThrow(StoreUnreachableError)
  expect(await b.journal.find('x')).toMatchObject({ answer })
})
