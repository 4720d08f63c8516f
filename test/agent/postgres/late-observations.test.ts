import { expect, test } from 'vitest'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import type { Orders } from '../../../agent/orders/orders.ts'
import { observeNow } from '../fixtures/observe-now.ts'
import {
  adjust,
  beginRepair,
  end,
  expectLate,
  haveTurn,
  item,
  keyOfSword,
  leave,
  type ObservingAgent,
  observe,
  postponeRepair,
} from '../fixtures/observing-agent.ts'
import { paid, repairBy, reportingAgents } from '../fixtures/reporting-agents.ts'
import { now } from '../fixtures/two-agents.ts'

test('an agent that comes back keeps the turn of an item until it has said what may arrive late', async () => {
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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

test('a stock is not replaced by one that the platform got before it left', async () => {
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  const answered = await orders.beginAcknowledging(paid.itemRef, paid)
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
  await using agents = await reportingAgents()
  const { a, b } = agents
  await acknowledgeDuring(a, async () => {
    await observeNow(b.orders.book.ledger, item, 3)
    await adjust(b, 3, 'acted')
  })
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a stock of another agent that gets its turn while the answer to an order leaves is sent again', async () => {
  await using agents = await reportingAgents()
  const { a, b } = agents
  await acknowledgeDuring(a, () => haveTurn(b))
  await leave(b, 3)
  await end(b, 'acted')
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('the stock in the answer to an order is sent again only where an older one may arrive late', async () => {
  await using agents = await reportingAgents()
  const { a, b } = agents
  await observeNow(a.orders.book.ledger, item, 5)
  await a.orders.endAcknowledging(await a.orders.beginAcknowledging(paid.itemRef, paid), true)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: null }])
  await adjust(b, 7, 'in-doubt')
  await observeNow(a.orders.book.ledger, item, 4)
  await a.orders.endAcknowledging(await a.orders.beginAcknowledging(paid.itemRef, paid), true)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 4 }])
})

/** The platform has a stock of `agent` in place of the newest one. */
function noteOverwritten({ observations }: ObservingAgent, newest: number) {
  return observations.apply(item, { kind: 'overwritten', quantity: newest, nowMs: now() }, 'if-possible')
}

test('a stock that must be sent again is not sent over the call of another agent that had the turn', async () => {
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
  const { a, b, outside } = agents
  await expectLate(b)
  await observeNow(b.orders.book.ledger, item, 3)
  await agents.cut()
  await observe(a, 3)
  await outside.query('UPDATE market_agent.repair SET due_at_ms = 1')
  agents.proxy.heal()
  await expect.poll(agents.repairs, { timeout: 5_000 }).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('the stock in the answer to an order is sent again when the store is back, because an older one may arrive late', async () => {
  await using agents = await reportingAgents()
  const { a, b, proxy } = agents
  await expectLate(b)
  await observeNow(a.orders.book.ledger, item, 5)
  const answered = await a.orders.beginAcknowledging(paid.itemRef, paid)
  await agents.cut()
  await a.orders.endAcknowledging(answered, true)
  proxy.heal()
  await expect.poll(agents.repairs, { timeout: 5_000 }).toEqual([{ key: keyOfSword, quantity: 5 }])
})

test('an observation that the last order has left behind is not sent over a newer stock', async () => {
  await using agents = await reportingAgents()
  const { a, outside } = agents
  await observeNow(a.orders.book.ledger, item, 7)
  await outside.query('DELETE FROM market_agent.orders')
  await agents.noteRepair(3, 0)
  expect(await repairBy(a)).toBe(3)
})
