import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readCall } from '../../../agent/call/call.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import { orderOperations } from '../../../agent/orders/order-operations.ts'
import { order as paid } from '../fixtures/events.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { memoryLedger } from './memory-ledger.ts'

const log = pino({ enabled: false })

/** A ledger with one order, which is offered. */
function ledgerOfOffered(clock: TestClock) {
  const known = { ...newOrder(paid, JSON.stringify(paid), clock.wallMs()), phase: 'offered' as const }
  return memoryLedger({ orders: new Map([[paid.transactionId, known]]), observations: new Map() }, () => false)
}

/** A call of `orders.open`. */
function openCall() {
  const reading = readCall({ operation: 'orders.open', input: {}, id: undefined })
  if (!reading.ok || reading.call.operation.kind !== 'orders') return expect.unreachable()
  return { ...reading.call, operation: reading.call.operation }
}

test('an agent lists no order that waits for a reply while another agent may hand it over', async () => {
  const clock = new TestClock()
  const ledger = ledgerOfOffered(clock)
  let hasLease = true
  const { answer } = orderOperations({
    ...{ book: new OrderBook(ledger, clock, log), clock, log, mayBegin: () => hasLease },
    path: { isProven: () => true },
    questions: { ask: () => expect.unreachable() },
  })
  const open = openCall()
  const { findOverSince } = ledger
  ledger.findOverSince = (...asked) => {
    // It is paused for longer than its lease.
    hasLease = false
    return findOverSince(...asked)
  }
  expect(await answer(open)).toMatchObject({ ok: true, dataText: expect.stringContaining('"orders":[]') })
})

test('an order is not listed if the word of the platform gets too old while the ledger is read', async () => {
  const clock = new TestClock()
  const ledger = ledgerOfOffered(clock)
  const wordEndsMs = clock.monotonicMs() + 1_000
  const { answer } = orderOperations({
    ...{ book: new OrderBook(ledger, clock, log), clock, log },
    path: { isProven: () => clock.monotonicMs() < wordEndsMs },
    questions: { ask: () => expect.unreachable() },
    mayBegin: () => true,
  })
  const open = openCall()
  expect(await answer(open)).toMatchObject({ ok: true, dataText: expect.stringContaining('"state":"offered"') })
  const { findOverSince } = ledger
  ledger.findOverSince = (...asked) => {
    clock.advance(2_000)
    return findOverSince(...asked)
  }
  expect(await answer(open)).toMatchObject({ ok: true, dataText: expect.stringContaining('"orders":[]') })
})
