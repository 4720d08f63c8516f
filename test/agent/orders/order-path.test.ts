import { pino } from 'pino'
import { expect, test } from 'vitest'
import { refuse } from '../../../agent/call/answer.ts'
import { proofMs } from '../../../agent/orders/open-orders.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import { expectDelivery, receiveTerminal } from '../../../agent/orders/order-changes.ts'
import { OrderFiles } from '../../../agent/orders/order-files.ts'
import { OrderPath, type OrderPathOptions } from '../../../agent/orders/order-path.ts'
import { end, order as paid } from '../fixtures/events.ts'
import { noMessageFiles } from '../fixtures/no-message-files.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { memoryLedger } from './memory-ledger.ts'

/** A path over a ledger that knows one order. */
function pathOf(clock: TestClock, parts: Partial<OrderPathOptions> & Pick<OrderPathOptions, 'channel'>) {
  const log = pino({ enabled: false })
  const known = newOrder(paid, JSON.stringify(paid), clock.wallMs())
  const rows = { orders: new Map([[known.transactionId, known]]), observations: new Map() }
  const book = new OrderBook(
    memoryLedger(rows, () => false),
    clock,
    log,
  )
  const path = new OrderPath({
    book,
    questions: { ask: async () => ({ kind: 'unanswered' }) },
    platform: {
      platformMs: () => clock.wallMs(),
      call: async () => ({ answer: refuse('NOT_REACHED', { hadTime: true }), retryAfterMs: 0 }),
    },
    files: new OrderFiles({ files: noMessageFiles, isChannel: true, limitedLog: log }),
    push: async () => 'unanswered',
    mayBegin: () => true,
    attempt: async (act) => void (await act()),
    clock,
    log,
    limitedLog: log,
    ...parts,
  })
  return { path, book, known }
}

test('replies are looked for every 200 ms, however often something else happens', async () => {
  const clock = new TestClock()
  let looks = 0
  const replies = () => {
    looks++
    return []
  }
  const files = new OrderFiles({
    files: { ...noMessageFiles, replies },
    isChannel: true,
    limitedLog: pino({ enabled: false }),
  })
  const { path, known } = pathOf(clock, { channel: 'files', files })
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

test('an order that a slow disk put off is pushed only after the platform is asked again', async () => {
  const clock = new TestClock()
  const asked: number[] = []
  const pushed: number[] = []
  const slowOnce = [proofMs + 1]
  const { path, book, known } = pathOf(clock, {
    channel: 'url',
    questions: {
      async ask() {
        asked.push(clock.monotonicMs())
        await book.change(known.transactionId, expectDelivery(known))
        path.prove(known.transactionId, clock.monotonicMs())
        return { kind: 'awaited' }
      },
    },
    async attempt(act) {
      await act()
      clock.advance(slowOnce.pop() ?? 0)
    },
    async push() {
      pushed.push(clock.monotonicMs())
      return 'unanswered'
    },
  })
  await path.start([known])
  while (pushed.length === 0) await new Promise(setImmediate)
  expect(asked).toHaveLength(2)
  expect(pushed).toEqual([asked[1]])
  await path.stop()
})

test('an order is not pushed by an agent that was paused for longer than its lease while it noted the offer', async () => {
  const clock = new TestClock()
  const pauses = [true]
  let hasLease = true
  let pushes = 0
  const { path, known } = pathOf(clock, {
    channel: 'url',
    mayBegin: () => hasLease,
    async attempt(act) {
      await act()
      if (pauses.pop()) hasLease = false
    },
    async push() {
      pushes++
      return 'unanswered'
    },
  })
  await path.start([known])
  path.prove(known.transactionId, clock.monotonicMs())
  while (hasLease) await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(pushes).toBe(0)
  hasLease = true
  clock.advance(200)
  while (pushes === 0) await new Promise(setImmediate)
  await path.stop()
})

test('a terminal event that comes while an earlier one of its number is pushed is pushed too', async () => {
  const clock = new TestClock()
  const pushes: { readonly text: string; readonly answer: (reply: 'confirmed') => void }[] = []
  const { path, book, known } = pathOf(clock, {
    channel: 'url',
    push: ({ text }) => new Promise((answer) => pushes.push({ text, answer })),
  })
  const receive = (event: typeof end | { readonly occurredAt: string }) =>
    book.change(known.transactionId, receiveTerminal({ ...end, ...event }, JSON.stringify({ ...end, ...event }), {}))
  await path.start([])
  await receive(end)
  await receive({ occurredAt: '2026-11-21T12:00:00Z' })
  pushes[0]?.answer('confirmed')
  await new Promise(setImmediate)
  expect(pushes.map(({ text }) => (JSON.parse(text) as typeof end).occurredAt)).toEqual([
    end.occurredAt,
    '2026-11-21T12:00:00Z',
  ])
  expect((await book.ledger.find(known.transactionId))?.phase).toBe('ended')
  pushes[1]?.answer('confirmed')
  await new Promise(setImmediate)
  expect((await book.ledger.find(known.transactionId))?.phase).toBe('closed')
  await path.stop()
})
