import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import type { PlatformCall } from '../../../agent/call/call.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { OrderReports } from '../../../agent/orders/order-reports.ts'
import { operations } from '../../../contract/operations.ts'
import { order as paid } from '../fixtures/events.ts'
import { observeNow } from '../fixtures/observe-now.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { openTestLedger } from '../fixtures/test-ledger.ts'
import { memoryLedger } from './memory-ledger.ts'

const { transactionId, itemRef } = paid
const putOff = { ok: true, dataText: JSON.stringify({ retryAt: null }) } as const
const report = {
  id: undefined,
  operationName: 'transaction.delivery-failure',
  operation: operations['transaction.delivery-failure'],
  input: { transactionId, reason: 'TEMPORARY', observedQuantity: 4 },
} as const
const adjustment = {
  id: undefined,
  operationName: 'market.adjust-stock',
  operation: operations['market.adjust-stock'],
  input: { itemRef, observedQuantity: 2 },
} as const

/** Reports about one order, and what the repairs are told about its item. */
function startReports(given?: OrderLedger) {
  const clock = new TestClock()
  const known = newOrder(paid, JSON.stringify(paid), clock.wallMs())
  const rows = { orders: new Map([[transactionId, known]]), observations: new Map<string, number>() }
  const ledger = given ?? memoryLedger(rows, () => false)
  const told: string[] = []
  let underWay = 0
  const reports = new OrderReports({
    book: new OrderBook(ledger, clock, pino({ enabled: false })),
    observations: {
      observe: async (_, quantity) => void told.push(`the platform has ${quantity}`),
      noteOverwritten: async (_, quantity) => void told.push(`the platform has an older one than ${quantity}`),
      async expectReport() {
        underWay++
        return async (untilMs, newest) => {
          underWay--
          if (newest !== undefined) told.push(`the platform has ${newest}`)
          if (untilMs > 0) told.push(`an older one may come for ${untilMs - clock.monotonicMs()} ms`)
        }
      },
    },
  })
  return { reports, told, ledger, countUnderWay: () => underWay }
}

/** A call that does not wait for its turn. */
async function leaveAtOnce(reports: OrderReports, call: PlatformCall): Promise<void> {
  reports.join(call)
  await reports.begin(call, 42_000)
}

test('a report that nothing came between says what the platform has', async () => {
  const { reports, told, ledger } = startReports()
  await leaveAtOnce(reports, report)
  await reports.end(report, putOff, 0)
  expect(told).toEqual(['the platform has 4'])
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 4 })
})

test('a stock that the game server reports while an older one is under way stays the newest and is sent again', async () => {
  const { reports, told, ledger } = startReports()
  await leaveAtOnce(reports, report)
  await leaveAtOnce(reports, adjustment)
  await reports.end(adjustment, { ok: true, dataText: 'null' }, 0)
  await reports.end(report, putOff, 0)
  expect(told).toEqual(['the platform has an older one than 2', 'the platform has 2'])
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 2 })
})

test('the stock of a report in doubt is the newest one, and no older one is sent again', async () => {
  const { reports, told, ledger } = startReports()
  await observeNow(ledger, itemRef, 4)
  reports.join(report, (await ledger.observationOf(itemRef))?.mark)
  await reports.begin(report, 42_000)
  await reports.end(report, { ok: false, status: 503, messageText: '""', uncertain: true }, 0)
  expect(told).toEqual(['the platform has 4'])
})

test('a stock that is noted while a report waits for its turn is newer than the report', async () => {
  const { reports, told, ledger } = startReports()
  await observeNow(ledger, itemRef, 4)
  reports.join(report)
  await leaveAtOnce(reports, adjustment)
  await reports.begin(report, 42_000)
  await reports.end(report, putOff, 0)
  expect(told).toEqual(['the platform has an older one than 2', 'the platform has 2'])
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 2 })
})

test('a report that must not leave, because it cannot be noted, is not expected any more', async () => {
  const { reports, ledger, countUnderWay } = startReports()
  const full = new StoreFullError('ENOSPC', new Error('no space'))
  ledger.change = () => Promise.reject(full)
  await expect(leaveAtOnce(reports, report)).rejects.toBe(full)
  expect(countUnderWay()).toBe(0)
})

test('a reply while a call with a stock waits for its turn is the newest stock and is sent again when the call has ended', async () => {
  const { reports, told, ledger } = startReports()
  reports.join(adjustment)
  await observeNow(ledger, itemRef, 1)
  await reports.begin(adjustment, 42_000)
  await reports.end(adjustment, { ok: true, dataText: 'null' }, 0)
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 1 })
  expect(told).toEqual(['the platform has an older one than 1', 'the platform has 1'])
})

test("a report of the agent's own is as old as the stock that it says", async () => {
  const { reports, told, ledger } = startReports()
  await observeNow(ledger, itemRef, 4)
  const known = await ledger.observationOf(itemRef)
  reports.join(adjustment)
  reports.join(report, known?.mark)
  await reports.begin(report, 42_000)
  await reports.end(report, putOff, 0)
  await reports.begin(adjustment, 42_000)
  await reports.end(adjustment, { ok: true, dataText: 'null' }, 0)
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 2 })
  expect(told).toEqual(['the platform has 4'])
})

test('a report in doubt that cannot arrive late may have arrived after a newer stock, which is sent again', async () => {
  const { reports, told } = startReports()
  await leaveAtOnce(reports, report)
  await leaveAtOnce(reports, adjustment)
  await reports.end(adjustment, { ok: true, dataText: 'null' }, 0)
  await reports.end(report, { ok: false, status: 502, messageText: '""', uncertain: true }, 0)
  expect(told).toEqual(['the platform has an older one than 2', 'the platform has 2'])
})

test('calls with a stock are as old as the moments at which they took their turns', async () => {
  const { reports, told, ledger } = startReports()
  const later = { ...adjustment, input: { itemRef, observedQuantity: 1 } }
  reports.join(adjustment)
  reports.join(later)
  for (const call of [adjustment, later]) {
    await reports.begin(call, 42_000)
    await reports.end(call, { ok: true, dataText: 'null' }, 0)
  }
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 1 })
  expect(told).toEqual([])
})

test('a stock that leaves right after a report has joined is newer, also while the ledger is being synced', async () => {
  await using opened = openTestLedger()
  const { ledger } = opened
  const { reports } = startReports(ledger)
  await ledger.change(transactionId, () => ({ order: newOrder(paid, JSON.stringify(paid), 1) }))
  const synced = ledger.change(18, () => ({ order: newOrder({ ...paid, transactionId: 18 }, '{}', 1) }))
  reports.join(report)
  reports.join(adjustment)
  await reports.begin(adjustment, 42_000)
  await reports.begin(report, 42_000)
  await reports.end(report, putOff, 0)
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 2 })
  await synced
})

test('a stock is the newest one as soon as its call leaves, whether the platform accepts it or not', async () => {
  const { reports, ledger } = startReports()
  await observeNow(ledger, itemRef, 5)
  await leaveAtOnce(reports, adjustment)
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 2 })
  await reports.end(adjustment, { ok: false, status: 504, uncertain: true } as CallAnswer, 32_000)
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 2 })
})

test('the call of a stock ends only when a power cut cannot take the stock back', async () => {
  const { reports, ledger } = startReports()
  const { promise: durable, resolve } = Promise.withResolvers<void>()
  ledger.observe = async () => ({ isNoted: true, durable })
  await leaveAtOnce(reports, adjustment)
  let hasEnded = false
  const ended = reports.end(adjustment, { ok: true, dataText: 'null' }, 0).then(() => {
    hasEnded = true
  })
  await setImmediate()
  expect(hasEnded).toBe(false)
  resolve()
  await ended
})

test('a reply during a call stays newer than the call', async () => {
  const { reports, ledger } = startReports()
  await leaveAtOnce(reports, adjustment)
  await observeNow(ledger, itemRef, 1)
  await reports.end(adjustment, { ok: true, dataText: 'null' }, 0)
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 1 })
})

test('an attempt of a report that was given up may still bring its stock', async () => {
  const { reports, told } = startReports()
  await leaveAtOnce(reports, report)
  await reports.end(report, putOff, 32_000)
  expect(told).toEqual(['the platform has 4', expect.stringMatching(/^an older one may come/)])
})

test('a report without an answer may come after the stock that was reported meanwhile, which is sent again', async () => {
  const { reports, told } = startReports()
  await leaveAtOnce(reports, report)
  await leaveAtOnce(reports, adjustment)
  await reports.end(report, { ok: false, status: 504, uncertain: true } as CallAnswer, 32_000)
  const late = expect.stringMatching(/^an older one may come/)
  expect(told).toEqual([late, 'the platform has an older one than 2', 'the platform has 2'])
})

test('a stock that is as large as the one before the report is newer than the report', async () => {
  const { reports, told, ledger } = startReports()
  await observeNow(ledger, itemRef, 2)
  await leaveAtOnce(reports, report)
  await leaveAtOnce(reports, adjustment)
  await reports.end(report, putOff, 0)
  expect(told).toEqual(['the platform has an older one than 2', 'the platform has 2'])
  expect(await ledger.observationOf(itemRef)).toMatchObject({ quantity: 2 })
})
