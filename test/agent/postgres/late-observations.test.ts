import { pino } from 'pino'
import { expect, test } from 'vitest'
import { refuseInDoubt } from '../../../agent/call/answer.ts'
import { Repairs } from '../../../agent/call/repairs.ts'
import type { SendDeps } from '../../../agent/call/send-with-retries.ts'
import { notingStocks } from '../../../agent/call/stocks.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { Orders } from '../../../agent/orders/orders.ts'
import { Database } from '../../../agent/postgres/database.ts'
import { operations } from '../../../contract/operations.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { startCuttableProxy } from '../fixtures/cuttable-proxy.ts'
import { order } from '../fixtures/events.ts'
import { observeNow } from '../fixtures/observe-now.ts'
import {
  addObservations,
  adjust,
  beginRepair,
  end,
  expectLate,
  haveTurn,
  item,
  keyOfSword,
  leave,
  lifetimeMs,
  type ObservingAgent,
  observe,
  postponeRepair,
  settleRepair,
  takeTurn,
} from '../fixtures/observing-agent.ts'
import { endLease, openStoreAgent, renew } from '../fixtures/store-agent.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'
import { inTime, now } from '../fixtures/two-agents.ts'

const server = await sharedPostgres()
const operation = operations['transaction.delivery-failure']
const report = {
  ...{ id: undefined, operationName: 'transaction.delivery-failure', operation },
  input: { transactionId: order.transactionId, reason: 'TEMPORARY', observedQuantity: 5 },
} as const

const adjustment = (observedQuantity: number) => ({
  ...({ id: undefined, operationName: 'market.adjust-stock', operation: operations['market.adjust-stock'] } as const),
  input: { itemRef: item, observedQuantity },
})

const putOff = { ok: true, dataText: '{"retryAt":null}' } as const
const paid = newOrder({ ...order, itemRef: item }, '{}', systemClock.wallMs())

/** The orders of an agent, with one of the item, which nobody hands over. */
async function ordersOf({ openLedger, turns, observations }: ObservingAgent) {
  const ledger = openLedger({ onFull: () => undefined, onUnregistered: () => undefined })
  await ledger.change(order.transactionId, () => ({ order: paid }))
  const sending = { clock: systemClock, partnerApi: { attemptLifetimeMs: lifetimeMs } } as SendDeps
  const repairs = new Repairs({ observations, turns, sending, onRepair: () => undefined, onError: () => undefined })
  return new Orders({
    ...{ ledger, observations: repairs, clock: systemClock, log: pino({ enabled: false }), files: undefined },
    ...{ channel: 'asking', push: () => expect.unreachable(), mayBegin: () => true },
    platform: { platformMs: () => systemClock.wallMs(), call: () => expect.unreachable() },
  })
}

/** Two agents, of which one has a way to the store that can be cut, and a way of the test. */
async function twoAgents() {
  const name = await newDatabase(server)
  const proxy = await startCuttableProxy(server)
  const outside = await Database.open(databaseOptions(urlOfDatabase(server, name)))
  const open = async (agent: string, at: { readonly port: number }) => {
    const opened = await addObservations(await openStoreAgent(at, name, { name: agent, timeoutMs: 5_000 }))
    return { ...opened, orders: await ordersOf(opened) }
  }
  const a = await open('a', proxy)
  const b = await open('b', server)
  return {
    ...{ a, b, proxy, outside },
    /** Cuts `a` off. */
    async cut() {
      proxy.cut()
      await expect.poll(() => a.database.problem).toBeDefined()
    },
    repairs: () => outside.query('SELECT key, quantity::int FROM market_agent.repair'),
    noteRepair: (quantity: number, dueInMs: number) =>
      outside.query(
        'INSERT INTO market_agent.repair (key, quantity, due_at_ms) VALUES ($1, $2, market_agent.now_ms() + $3::bigint)',
        [keyOfSword, quantity, dueInMs],
      ),
    /** Lets `a` come back, and `b` have the turn of the item: not before `a` has noted what may arrive late. */
    async comeBack() {
      const next = takeTurn(b)
      await outside.transact(async (query) => {
        await query('LOCK TABLE market_agent.repair IN SHARE ROW EXCLUSIVE MODE')
        proxy.heal()
        await expect.poll(() => a.database.problem, { timeout: 5_000 }).toBeUndefined()
        expect(await next.wait(now())).toBe(false)
      })
      expect(await next.wait(inTime())).toBe(true)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([a.close(), b.close(), outside.close()])
      proxy[Symbol.dispose]()
    },
  }
}

test('an agent that comes back keeps the turn of an item until it has said what may arrive late', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const turn = await haveTurn(a)
  await leave(a, 5)
  await agents.cut()
  await end(a, 'in-doubt')
  turn.release()
  await agents.comeBack()
  await leave(b, 3)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a repair without an answer is not sent again over a newer call of another agent', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await agents.noteRepair(5, 0)
  const turn = await haveTurn(a)
  expect(await beginRepair(a)).toMatchObject({ at: 'repairing', quantity: 5 })
  await agents.cut()
  await postponeRepair(a)
  turn.release()
  await agents.comeBack()
  await leave(b, 3)
  await end(b, 'acted')
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a stock that is newer than the report of an agent that died is sent again', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await a.orders.reports.join(report)
  await a.orders.reports.begin(report, now() + lifetimeMs)
  await a.kill()
  await adjust(b, 3, 'acted')
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a stock that is newer than a report without an answer is sent again, although the store was away at its end', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await a.orders.reports.join(report)
  await a.orders.reports.begin(report, now() + lifetimeMs)
  await agents.cut()
  const lost = refuseInDoubt('NO_ANSWER', { mayHaveActed: true })
  await a.orders.reports.end(report, lost, now() + lifetimeMs).catch(() => undefined)
  await adjust(b, 3, 'acted')
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a report that was answered leaves nothing to repair', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await a.orders.reports.join(report)
  await a.orders.reports.begin(report, now() + lifetimeMs)
  await a.orders.reports.end(report, { ok: true, dataText: '{"retryAt": null}' }, 0)
  await adjust(b, 3, 'acted')
  expect(await agents.repairs()).toEqual([])
})

test('a stock is not replaced by one that the platform got before it left', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await expectLate(b)
  const turn = await haveTurn(a)
  await observe(b, 7)
  await leave(a, 3)
  await end(a, 'acted')
  turn.release()
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('the stock of a call that was refused because its note had no answer is not sent later', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy } = agents
  await expectLate(b)
  await observe(b, 7)
  const turn = await haveTurn(a)
  proxy.loseAnswers()
  const refused = expect(leave(a, 3)).rejects.toThrow(StoreUnreachableError)
  await expect.poll(agents.repairs).toEqual([{ key: keyOfSword, quantity: 3 }])
  await agents.cut()
  await refused
  turn.release()
  proxy.heal()
  await haveTurn(b)
  expect(b.turns.lateOf(keyOfSword)).toMatchObject({ quantity: 7 })
})

test('a repair that another agent postponed first is not postponed again by one that has no turn', async () => {
  await using agents = await twoAgents()
  const { a, outside } = agents
  await agents.noteRepair(5, 10_000)
  const turn = await haveTurn(a)
  expect(await beginRepair(a)).toMatchObject({ at: 'due' })
  turn.release()
  await postponeRepair(a)
  const [row] = await outside.query('SELECT due_at_ms - market_agent.now_ms() AS rest_ms FROM market_agent.repair')
  expect(Number(row?.['rest_ms'])).toBeLessThan(10_001)
})

test('a repair whose turn does not come changes nothing about the call that has the turn', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const turn = await haveTurn(a)
  await leave(a, 5)
  await postponeRepair(a)
  await end(a, 'in-doubt')
  turn.release()
  await adjust(b, 3, 'acted')
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

/** Acknowledges the order, whose answer says 5, and acts while the agent reads what it knows about the item. */
async function acknowledgeDuring({ orders }: { readonly orders: Orders }, act: () => Promise<unknown>): Promise<void> {
  const { ledger } = orders.book
  await observeNow(ledger, item, 5)
  const answered = await orders.beginAcknowledging(paid)
  const observationOf = ledger.observationOf.bind(ledger)
  ledger.observationOf = async (itemRef) => {
    ledger.observationOf = observationOf
    const known = await observationOf(itemRef)
    await act()
    return known
  }
  await orders.endAcknowledging(answered, true)
}

test('a stock that another agent reports while the answer to an order leaves is sent again', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await acknowledgeDuring(a, async () => {
    await observeNow(b.orders.book.ledger, item, 3)
    await adjust(b, 3, 'acted')
  })
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a stock of another agent that gets its turn while the answer to an order leaves is sent again', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await acknowledgeDuring(a, () => haveTurn(b))
  await leave(b, 3)
  await end(b, 'acted')
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('the stock in the answer to an order is sent again only where an older one may arrive late', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await observeNow(a.orders.book.ledger, item, 5)
  await a.orders.endAcknowledging(await a.orders.beginAcknowledging(paid), true)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: null }])
  await adjust(b, 7, 'in-doubt')
  await observeNow(a.orders.book.ledger, item, 4)
  await a.orders.endAcknowledging(await a.orders.beginAcknowledging(paid), true)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 4 }])
})

test('a stock that is accepted while a report waits for its turn is sent again', async () => {
  await using agents = await twoAgents()
  const { a } = agents
  const { reports, book } = a.orders
  reports.join(report)
  await book.ledger.drawMark()
  await observeNow(book.ledger, item, 3)
  await adjust(a, 3, 'acted')
  await reports.begin(report, now() + lifetimeMs)
  await reports.end(report, putOff, 0)
  expect(await book.ledger.observationOf(item)).toMatchObject({ quantity: 3 })
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a stock that another agent notes while a report ends stays the newest', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const { reports, book } = a.orders
  const { observe } = book.ledger
  reports.join(report)
  await reports.begin(report, now() + lifetimeMs)
  book.ledger.observe = async (...observed) => {
    await observeNow(b.orders.book.ledger, item, 3)
    return observe(...observed)
  }
  await reports.end(report, putOff, 0)
  expect(await book.ledger.observationOf(item)).toMatchObject({ quantity: 3 })
})

test('the stock of an accepted report is noted when the store is back', async () => {
  await using agents = await twoAgents()
  const { a } = agents
  const { reports, book } = a.orders
  reports.join(report)
  await reports.begin(report, now() + lifetimeMs)
  await agents.cut()
  await expect(reports.end(report, putOff, 0)).rejects.toThrow(StoreUnreachableError)
  agents.proxy.heal()
  await expect.poll(() => a.database.problem, { timeout: 5_000 }).toBeUndefined()
  await expect.poll(() => book.ledger.observationOf(item), { timeout: 5_000 }).toMatchObject({ quantity: 5 })
})

test('a stock of an agent that has no webhooks is sent again after an older one of an agent that has them', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const older = adjustment(5)
  a.orders.reports.join(older)
  // Its mark is drawn.
  await a.orders.book.ledger.drawMark()
  await haveTurn(b)
  await notingStocks(b.noteStock).begin(adjustment(3), 0)
  await a.orders.reports.begin(older, now() + lifetimeMs)
  await a.orders.reports.end(older, { ok: true, dataText: 'null' }, 0)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

/** Sends the newest stock again, if that is due. Returns what is sent. */
async function repairBy(agent: ObservingAgent): Promise<number | undefined> {
  const turn = await haveTurn(agent)
  const state = await beginRepair(agent)
  if (state.at === 'repairing') await settleRepair(agent)
  turn.release()
  return state.at === 'repairing' ? state.quantity : undefined
}

/** The platform has a stock of `agent` in place of the newest one. */
function noteOverwritten({ observations }: ObservingAgent, newest: number) {
  return observations.apply(item, { kind: 'overwritten', quantity: newest, nowMs: now() }, 'if-possible')
}

test('a stock that must be sent again is not sent over the call of another agent that had the turn', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await observeNow(a.orders.book.ledger, item, 5)
  const turn = await haveTurn(b)
  await noteOverwritten(a, 5)
  await observeNow(b.orders.book.ledger, item, 3)
  await leave(b, 3)
  await end(b, 'acted')
  turn.release()
  expect(await repairBy(a)).toBe(3)
})

test('a stock that must be sent again when the store is back is not sent over a newer one', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  await observeNow(a.orders.book.ledger, item, 5)
  await agents.cut()
  await noteOverwritten(a, 5)
  await observeNow(b.orders.book.ledger, item, 3)
  await adjust(b, 3, 'acted')
  agents.proxy.heal()
  await expect.poll(agents.repairs, { timeout: 5_000 }).toHaveLength(1)
  expect(await repairBy(b)).toBe(3)
})

test('a stock that another agent said is sent again, although an equal one of a refused call is taken back', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy } = agents
  await expectLate(b)
  const turn = await haveTurn(a)
  proxy.loseAnswers()
  const refused = expect(leave(a, 3)).rejects.toThrow(StoreUnreachableError)
  await expect.poll(agents.repairs).toEqual([{ key: keyOfSword, quantity: 3 }])
  await agents.cut()
  await refused
  turn.release()
  await observeNow(b.orders.book.ledger, item, 3)
  await observe(b, 3)
  proxy.heal()
  await haveTurn(b)
  expect(b.turns.lateOf(keyOfSword)).toMatchObject({ quantity: 3 })
})

test('a stock that the platform got during an outage is sent again, because an older one may have arrived since', async () => {
  await using agents = await twoAgents()
  const { a, b, outside } = agents
  await expectLate(b)
  await observeNow(b.orders.book.ledger, item, 3)
  await agents.cut()
  await observe(a, 3)
  await outside.query('UPDATE market_agent.repair SET due_at_ms = 1')
  agents.proxy.heal()
  await expect.poll(agents.repairs, { timeout: 5_000 }).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('the newest stock is sent again when the store is back, if an older one was accepted in an outage', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const older = adjustment(5)
  a.orders.reports.join(older)
  await a.orders.book.ledger.drawMark()
  await observeNow(b.orders.book.ledger, item, 3)
  await a.orders.reports.begin(older, now() + lifetimeMs)
  await agents.cut()
  await expect(a.orders.reports.end(older, { ok: true, dataText: 'null' }, 0)).rejects.toThrow(StoreUnreachableError)
  agents.proxy.heal()
  await expect.poll(agents.repairs, { timeout: 5_000 }).toHaveLength(1)
  expect(await repairBy(b)).toBe(3)
})

test.each([
  ['older', 3],
  ['newest', 5],
] as const)(
  'the newest stock is sent again when the store is back, if a report with the %s one was accepted in an outage',
  async (which, newest) => {
    await using agents = await twoAgents()
    const { a, b } = agents
    const { reports, book } = a.orders
    if (which === 'newest') await observeNow(b.orders.book.ledger, item, 3)
    reports.join(report)
    await book.ledger.drawMark()
    if (which === 'older') await observeNow(b.orders.book.ledger, item, 3)
    await reports.begin(report, now() + lifetimeMs)
    await agents.cut()
    await expect(reports.end(report, putOff, 0)).rejects.toThrow(StoreUnreachableError)
    agents.proxy.heal()
    await expect.poll(agents.repairs, { timeout: 5_000 }).toEqual([{ key: keyOfSword, quantity: 5 }])
    expect(await repairBy(b)).toBe(newest)
  },
)

test('the stock in the answer to an order is sent again when the store is back, because an older one may arrive late', async () => {
  await using agents = await twoAgents()
  const { a, b, proxy } = agents
  await expectLate(b)
  await observeNow(a.orders.book.ledger, item, 5)
  const answered = await a.orders.beginAcknowledging(paid)
  await agents.cut()
  await a.orders.endAcknowledging(answered, true)
  proxy.heal()
  await expect.poll(agents.repairs, { timeout: 5_000 }).toEqual([{ key: keyOfSword, quantity: 5 }])
})

test('the newest stock is sent again after an agent that died with an older one under way', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const older = adjustment(5)
  a.orders.reports.join(older)
  await a.orders.book.ledger.drawMark()
  await observeNow(b.orders.book.ledger, item, 3)
  await adjust(b, 3, 'acted')
  await haveTurn(a)
  await a.orders.reports.begin(older, now() + lifetimeMs)
  await leave(a, 5)
  await a.kill()
  await endLease(b, 'a')
  await renew(b)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a report that ended does not put off the stock that must be sent again', async () => {
  await using agents = await twoAgents()
  const { a, outside } = agents
  const restMs = async () => {
    const sql = 'SELECT (due_at_ms - market_agent.now_ms())::int AS rest_ms FROM market_agent.repair'
    return Number((await outside.query(sql))[0]?.['rest_ms'])
  }
  await agents.noteRepair(3, 10_000)
  const endReport = await a.observations.expectReport(item, now() + 2 * lifetimeMs)
  expect(await restMs()).toBeGreaterThan(lifetimeMs)
  await endReport(0)
  expect(await restMs()).toBeLessThanOrEqual(10_000)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a report that a call of another agent may have crossed on its way is sent again', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const turn = await haveTurn(b)
  await leave(b, 5)
  const endReport = await a.observations.expectReport(item, now() + lifetimeMs)
  await end(b, 'acted')
  turn.release()
  await expect.poll(() => b.database.query('SELECT FROM market_agent.ticket')).toEqual([])
  await endReport(0)
  await observe(a, 3)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a report that is accepted while a call of another agent is under way is sent again after it', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const turn = await haveTurn(b)
  await leave(b, 5)
  const endReport = await a.observations.expectReport(item, now() + lifetimeMs)
  await endReport(0)
  await observe(a, 3)
  await end(b, 'acted')
  turn.release()
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a report whose end a call of another agent ends in between is sent again', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const { reports, book } = a.orders
  const turn = await haveTurn(b)
  await observeNow(b.orders.book.ledger, item, 7)
  await leave(b, 7)
  reports.join(report)
  await reports.begin(report, now() + lifetimeMs)
  const { observe: note } = book.ledger
  book.ledger.observe = async (...observed) => {
    await end(b, 'acted')
    turn.release()
    await b.turns.settled(keyOfSword)
    return note(...observed)
  }
  await reports.end(report, putOff, 0)
  expect(await book.ledger.observationOf(item)).toMatchObject({ quantity: 5 })
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 5 }])
})

test('a report is sent again if an older attempt could arrive until a moment before its end', async () => {
  await using agents = await twoAgents()
  const { a, outside } = agents
  const { reports } = a.orders
  await outside.query('INSERT INTO market_agent.repair (key, due_at_ms) VALUES ($1, market_agent.now_ms() + 10000)', [
    keyOfSword,
  ])
  reports.join(report)
  await reports.begin(report, now() + lifetimeMs)
  await outside.query('UPDATE market_agent.repair SET due_at_ms = due_at_ms - 20000')
  await reports.end(report, putOff, 0)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 5 }])
})

test('a report that another one of its item may have crossed on its way is sent again', async () => {
  await using agents = await twoAgents()
  const { a, b } = agents
  const endOlder = await b.observations.expectReport(item, now() + lifetimeMs)
  const endNewer = await a.observations.expectReport(item, now() + lifetimeMs)
  await endOlder(0)
  await endNewer(0)
  await observe(a, 3)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('an observation that the last order has left behind is not sent over a newer stock', async () => {
  await using agents = await twoAgents()
  const { a, outside } = agents
  await observeNow(a.orders.book.ledger, item, 7)
  await outside.query('DELETE FROM market_agent.orders')
  await agents.noteRepair(3, 0)
  expect(await repairBy(a)).toBe(3)
})
