import { expect, test } from 'vitest'
import { refuseInDoubt } from '../../../agent/call/answer.ts'
import { notingStocks } from '../../../agent/call/stocks.ts'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { observeNow } from '../fixtures/observe-now.ts'
import { adjust, end, haveTurn, item, keyOfSword, leave, lifetimeMs, observe } from '../fixtures/observing-agent.ts'
import { adjustment, putOff, repairBy, report, reportingAgents } from '../fixtures/reporting-agents.ts'
import { endLease, renew } from '../fixtures/store-agent.ts'
import { now } from '../fixtures/two-agents.ts'

test('a stock that is newer than the report of an agent that died is sent again', async () => {
  await using agents = await reportingAgents()
  const { a, b } = agents
  await a.orders.reports.join(report)
  await a.orders.reports.begin(report, now() + lifetimeMs)
  await a.kill()
  await adjust(b, 3, 'acted')
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a stock that is newer than a report without an answer is sent again, although the store was away at its end', async () => {
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
  const { a, b } = agents
  await a.orders.reports.join(report)
  await a.orders.reports.begin(report, now() + lifetimeMs)
  await a.orders.reports.end(report, { ok: true, dataText: '{"retryAt": null}' }, 0)
  await adjust(b, 3, 'acted')
  expect(await agents.repairs()).toEqual([])
})

test('a stock that is accepted while a report waits for its turn is sent again', async () => {
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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

test('the newest stock is sent again when the store is back, if an older one was accepted in an outage', async () => {
  await using agents = await reportingAgents()
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
    await using agents = await reportingAgents()
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

test('the newest stock is sent again after an agent that died with an older one under way', async () => {
  await using agents = await reportingAgents()
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

test('a report whose end a call of another agent ends in between is sent again', async () => {
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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

test('a report that ended does not put off the stock that must be sent again', async () => {
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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
  await using agents = await reportingAgents()
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

test('a report that another one of its item may have crossed on its way is sent again', async () => {
  await using agents = await reportingAgents()
  const { a, b } = agents
  const endOlder = await b.observations.expectReport(item, now() + lifetimeMs)
  const endNewer = await a.observations.expectReport(item, now() + lifetimeMs)
  await endOlder(0)
  await endNewer(0)
  await observe(a, 3)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})

test('a report that a call crossed is sent again, although the store has lost that the call ended', async () => {
  await using agents = await reportingAgents()
  const { a, b, outside } = agents
  const turn = await haveTurn(a)
  await leave(a, 5)
  const endReport = await b.observations.expectReport(item, now() + lifetimeMs)
  const [before] = await outside.query('SELECT version FROM market_agent.repair')
  await end(a, 'acted')
  turn.release()
  await a.turns.settled(keyOfSword)
  await agents.cut()
  await outside.query(
    'INSERT INTO market_agent.ticket (key, epoch) SELECT $1, epoch FROM market_agent.agent WHERE name = $2',
    [keyOfSword, 'a'],
  )
  await outside.query('UPDATE market_agent.repair SET version = $1', [before?.['version']])
  agents.proxy.heal()
  await expect.poll(() => outside.query('SELECT FROM market_agent.ticket'), { timeout: 5_000 }).toEqual([])
  await endReport(0, 3)
  expect(await agents.repairs()).toEqual([{ key: keyOfSword, quantity: 3 }])
})
