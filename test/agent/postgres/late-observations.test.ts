import { pino } from 'pino'
import { expect, test } from 'vitest'
import { refuseInDoubt } from '../../../agent/call/answer.ts'
import { keyOfItem } from '../../../agent/call/call.ts'
import type { KnownObservations } from '../../../agent/call/observations.ts'
import { Repairs } from '../../../agent/call/repairs.ts'
import type { SendDeps } from '../../../agent/call/send-with-retries.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import { OrderReports } from '../../../agent/orders/order-reports.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { operations } from '../../../contract/operations.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { order } from '../fixtures/events.ts'
import { openStoreAgent, type StoreAgent } from '../fixtures/store-agent.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'

const server = await sharedPostgres()
const lifetimeMs = 32_000
const item = 'sword'
const operation = operations['transaction.delivery-failure']
const report = {
  ...{ id: undefined, operationName: 'transaction.delivery-failure', operation },
  input: { transactionId: order.transactionId, reason: 'TEMPORARY', observedQuantity: 5 },
} as const
const now = () => systemClock.monotonicMs()
const inTime = () => now() + 60_000
const takeTurn = ({ turns }: StoreAgent) => turns.take(keyOfItem(item), 'join-now')

/** Reports about the order of the item. */
async function reportsOf({ openLedger, turns }: StoreAgent, observations: KnownObservations) {
  const ledger = openLedger({ onFull: () => undefined, onUnregistered: () => undefined })
  const paid = newOrder({ ...order, itemRef: item }, '{}', systemClock.wallMs())
  await ledger.change(order.transactionId, () => ({ order: paid }))
  const sending = { clock: systemClock, partnerApi: { attemptLifetimeMs: lifetimeMs } } as SendDeps
  const repairs = new Repairs({ observations, turns, sending, onRepair: () => undefined, onError: () => undefined })
  const book = new OrderBook(ledger, systemClock, pino({ enabled: false }))
  return new OrderReports({ book, observations: repairs, clock: systemClock })
}

/** A call of the item on an agent, which is accepted. */
async function adjust(agent: StoreAgent & { readonly observations: KnownObservations }, quantity: number) {
  const turn = takeTurn(agent)
  expect(await turn.wait(inTime())).toBe(true)
  await agent.observations.apply(item, { kind: 'leave', quantity, nowMs: now() }, 'must-be-stored')
  const accepted = { kind: 'end', effect: 'acted', lastAttemptMs: now(), lateUntilMs: 0 } as const
  await agent.observations.apply(item, accepted, 'if-possible')
  turn.release()
}

/** Two agents, of which one has a way to the store that can be cut, and a way of the test. */
async function twoAgents() {
  const name = await newDatabase(server)
  const proxy = await startCuttableProxy(server)
  const outside = await Database.open(databaseOptions(urlOfDatabase(server, name)))
  const open = async (agent: string, at: { readonly port: number }) => {
    const opened = await openStoreAgent(at, name, { name: agent, timeoutMs: 5_000 })
    const observations = opened.journal.openObservations({ clock: systemClock, lifetimeMs })
    await observations.begin(() => undefined)
    return { ...opened, observations, reports: await reportsOf(opened, observations) }
  }
  const a = await open('a', proxy)
  const b = await open('b', server)
  return {
    ...{ a, b, proxy, outside },
    isAway: () => expect.poll(() => a.database.problem).toBeDefined(),
    isBack: () => expect.poll(() => a.database.problem, { timeout: 5_000 }).toBeUndefined(),
    repairs: () => outside.query('SELECT key, quantity::int FROM market_agent.repair'),
    /** Runs with the store keeping every note of a late observation waiting. */
    holdingNotes: (work: () => Promise<void>) =>
      outside.transact(async (query) => {
        await query('LOCK TABLE market_agent.repair IN SHARE ROW EXCLUSIVE MODE')
        await work()
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all([a.close(), b.close(), outside.close()])
      proxy[Symbol.dispose]()
    },
  }
}

test('an agent that comes back keeps the turn of an item until it has said what may arrive late', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy, isAway, isBack, holdingNotes, repairs } = agents
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  await a.observations.apply(item, { kind: 'leave', quantity: 5, nowMs: now() }, 'must-be-stored')
  proxy.cut()
  await isAway()
  const lost = { kind: 'end', effect: 'in-doubt', lastAttemptMs: now(), lateUntilMs: now() + lifetimeMs } as const
  await a.observations.apply(item, lost, 'if-possible')
  turn.release()
  const next = takeTurn(b)
  await holdingNotes(async () => {
    proxy.heal()
    await isBack()
    expect(await next.wait(now())).toBe(false)
  })
  expect(await next.wait(inTime())).toBe(true)
  await b.observations.apply(item, { kind: 'leave', quantity: 3, nowMs: now() }, 'must-be-stored')
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})

test('a repair without an answer is not sent again over a newer call of another agent', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy, outside, isAway, isBack, holdingNotes, repairs } = agents
  await outside.query('INSERT INTO market_agent.repair (key, quantity, due_at_ms) VALUES ($1, 5, 0)', [keyOfItem(item)])
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  const repair = { kind: 'repair', nowMs: now(), lateUntilMs: now() + lifetimeMs } as const
  expect(await a.observations.apply(item, repair, 'in-memory')).toMatchObject({ at: 'repairing', quantity: 5 })
  proxy.cut()
  await isAway()
  await a.observations.apply(item, { kind: 'postpone', untilMs: now() + lifetimeMs }, 'if-possible')
  turn.release()
  const next = takeTurn(b)
  await holdingNotes(async () => {
    proxy.heal()
    await isBack()
    expect(await next.wait(now())).toBe(false)
  })
  expect(await next.wait(inTime())).toBe(true)
  await b.observations.apply(item, { kind: 'leave', quantity: 3, nowMs: now() }, 'must-be-stored')
  await b.observations.apply(
    item,
    { kind: 'end', effect: 'acted', lastAttemptMs: now(), lateUntilMs: 0 },
    'if-possible',
  )
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})

test('a stock that is newer than the report of an agent that died is sent again', async () => {
  await using agents = await twoAgents()
  const { a, b, repairs } = agents
  await a.reports.begin(report, now() + lifetimeMs)
  await a.kill()
  await adjust(b, 3)
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})

test('a stock that is newer than a report without an answer is sent again, although the store was away at its end', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy, isAway, repairs } = agents
  await a.reports.begin(report, now() + lifetimeMs)
  proxy.cut()
  await isAway()
  const lost = refuseInDoubt('NO_ANSWER', { mayHaveActed: true })
  await a.reports.end(report, lost, now() + lifetimeMs).catch(() => undefined)
  await adjust(b, 3)
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})

test('a report that was answered leaves nothing to repair', async () => {
  await using agents = await twoAgents()
  const { a, b, repairs } = agents
  await a.reports.begin(report, now() + lifetimeMs)
  await a.reports.end(report, { ok: true, dataText: '{"retryAt": null}' }, 0)
  await adjust(b, 3)
  expect(await repairs()).toEqual([])
})

test('a stock is not replaced by one that the platform got before it left', async () => {
  await using agents = await twoAgents()
  const { a, b, repairs } = agents
  await b.observations.apply(item, { kind: 'expect-late', lateUntilMs: now() + lifetimeMs }, 'if-possible')
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  await b.observations.apply(item, { kind: 'observe', quantity: 7, nowMs: now() }, 'if-possible')
  await a.observations.apply(item, { kind: 'leave', quantity: 3, nowMs: now() }, 'must-be-stored')
  await a.observations.apply(
    item,
    { kind: 'end', effect: 'acted', lastAttemptMs: now(), lateUntilMs: 0 },
    'if-possible',
  )
  turn.release()
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})

test('the stock of a call that was refused because its note had no answer is not sent later', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy, isAway, repairs } = agents
  await b.observations.apply(item, { kind: 'expect-late', lateUntilMs: now() + lifetimeMs }, 'if-possible')
  await b.observations.apply(item, { kind: 'observe', quantity: 7, nowMs: now() }, 'if-possible')
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  proxy.loseAnswers()
  const left = a.observations.apply(item, { kind: 'leave', quantity: 3, nowMs: now() }, 'must-be-stored')
  const refused = expect(left).rejects.toThrow(StoreUnreachableError)
  await expect.poll(repairs).toEqual([{ key: keyOfItem(item), quantity: 3 }])
  proxy.cut()
  await isAway()
  await refused
  turn.release()
  proxy.heal()
  expect(await takeTurn(b).wait(inTime())).toBe(true)
  expect(b.turns.lateOf(keyOfItem(item))).toMatchObject({ quantity: 7 })
})

test('a repair that another agent postponed first is not postponed again by one that has no turn', async () => {
  await using agents = await twoAgents()
  const { a, outside } = agents
  const insert =
    'INSERT INTO market_agent.repair (key, quantity, due_at_ms) VALUES ($1, 5, market_agent.now_ms() + 10000)'
  await outside.query(insert, [keyOfItem(item)])
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  const repair = { kind: 'repair', nowMs: now(), lateUntilMs: now() + lifetimeMs } as const
  expect(await a.observations.apply(item, repair, 'in-memory')).toMatchObject({ at: 'due' })
  turn.release()
  await a.observations.apply(item, { kind: 'postpone', untilMs: now() + lifetimeMs }, 'if-possible')
  const [row] = await outside.query('SELECT due_at_ms - market_agent.now_ms() AS rest_ms FROM market_agent.repair')
  expect(Number(row?.['rest_ms'])).toBeLessThan(10_001)
})

test('a repair whose turn does not come changes nothing about the call that has the turn', async () => {
  await using agents = await twoAgents()
  const { a, b, repairs } = agents
  const turn = takeTurn(a)
  expect(await turn.wait(inTime())).toBe(true)
  await a.observations.apply(item, { kind: 'leave', quantity: 5, nowMs: now() }, 'must-be-stored')
  await a.observations.apply(item, { kind: 'postpone', untilMs: now() + lifetimeMs }, 'if-possible')
  const lateUntilMs = now() + lifetimeMs
  const doubtful = { kind: 'end', effect: 'in-doubt', lastAttemptMs: now(), lateUntilMs } as const
  await a.observations.apply(item, doubtful, 'if-possible')
  turn.release()
  await adjust(b, 3)
  expect(await repairs()).toEqual([{ key: keyOfItem(item), quantity: 3 }])
})
