import { pino } from 'pino'
import { expect, test } from 'vitest'
import { refuse } from '../../../agent/call/answer.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import { OrderFiles } from '../../../agent/orders/order-files.ts'
import { OrderPath } from '../../../agent/orders/order-path.ts'
import { order as paid } from '../fixtures/events.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { memoryLedger } from './memory-ledger.ts'

test('replies are looked for every 200 ms, however often something else happens', async () => {
  const clock = new TestClock()
  const log = pino({ enabled: false })
  let looks = 0
  const files = {
    ...{
      makeDirs: () => false,
      events: () => [],
      show: () => undefined,
      readReply: () => 'gone' as const,
      setAside: () => false,
    },
    ...{ removeEvent: () => undefined, removeReply: () => undefined, removeRejectedBefore: () => undefined },
    replies: () => {
      looks++
      return []
    },
  }
  const known = newOrder(paid, JSON.stringify(paid), clock.wallMs())
  const rows = { orders: new Map([[known.transactionId, known]]), observations: new Map() }
  const path = new OrderPath({
    book: new OrderBook(
      memoryLedger(rows, () => false),
      clock,
      log,
    ),
    questions: { ask: async () => ({ kind: 'unanswered' }) },
    platform: {
      platformMs: () => clock.wallMs(),
      call: async () => ({ answer: refuse('NOT_REACHED'), retryAfterMs: 0 }),
    },
    files: new OrderFiles({ files, isChannel: true, limitedLog: log }),
    push: async () => 'unanswered',
    mayBegin: () => true,
    attempt: async (act) => void (await act()),
    ...{ channel: 'files', clock, log, limitedLog: log },
  })
  await path.start([known])
  const before = looks
  for (let passedMs = 0; passedMs < 2_000; passedMs += 50) {
    clock.advance(50)
    path.prove(known.transactionId, clock.monotonicMs())
    await new Promise(setImmediate)
  }
  expect(looks - before).toBeGreaterThanOrEqual(9)
  await path.stop()
})
