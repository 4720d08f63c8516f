import { pino } from 'pino'
import { expect, test } from 'vitest'
import { refuse } from '../../../agent/call/answer.ts'
import { newOrder, type Order } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import { OrderFiles } from '../../../agent/orders/order-files.ts'
import type { OrderLedger, OthersListener } from '../../../agent/orders/order-ledger.ts'
import { OrderPath } from '../../../agent/orders/order-path.ts'
import { order as paid } from '../fixtures/events.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { memoryLedger } from './memory-ledger.ts'

const received = newOrder(paid, JSON.stringify(paid), 1_000)

/** An agent whose orders another agent hands over. It tells about them when the test says so. */
function agentOfOthers(mayBegin = true) {
  const clock = new TestClock()
  const log = pino({ enabled: false })
  let tell: OthersListener = () => undefined
  const rows = { orders: new Map(), observations: new Map() }
  const ledger: OrderLedger = {
    ...memoryLedger(rows, () => false),
    onOthers(listener) {
      tell = listener
    },
  }
  const pushed: number[] = []
  const path = new OrderPath({
    book: new OrderBook(ledger, clock, log),
    questions: { ask: async () => ({ kind: 'unanswered' }) },
    platform: {
      platformMs: () => clock.wallMs(),
      call: async () => ({ answer: refuse('NOT_REACHED', { hadTime: true }), retryAfterMs: 0 }),
    },
    files: new OrderFiles({ files: undefined, isChannel: false, limitedLog: log }),
    async push({ transactionId }) {
      pushed.push(transactionId)
      return 'unanswered'
    },
    mayBegin: () => mayBegin,
    attempt: async (act) => void (await act()),
    ...{ channel: 'url', clock, log, limitedLog: log },
  })
  return {
    clock,
    path,
    pushed,
    tell: (order: Order | undefined, isOurs: boolean) => tell(received.transactionId, order, isOurs),
  }
}

test('a webhook waits for the reply to an order that another agent hands over, known here before or not', async () => {
  const { path, tell } = agentOfOthers()
  await path.start([])
  let isSettled = false
  const settling = path.settle(received, 9_000).then(() => {
    isSettled = true
  })
  tell({ ...received, phase: 'offered' }, false)
  await new Promise(setImmediate)
  expect(isSettled).toBe(false)
  tell({ ...received, phase: 'taken' }, false)
  await settling
  await path.stop()
})

test('a webhook for an order of another agent is answered in time, whatever that agent does', async () => {
  const { path, clock } = agentOfOthers()
  await path.start([])
  const settling = path.settle(received, 9_000)
  clock.advance(9_000)
  await settling
  await path.stop()
})

test('nothing is handed over while another agent may take over, or what another one hands over', async () => {
  for (const [mayBegin, isOurs, pushes] of [
    [true, true, 1],
    [false, true, 0],
    [true, false, 0],
  ] as const) {
    const { path, tell, pushed, clock } = agentOfOthers(mayBegin)
    await path.start([])
    tell({ ...received, phase: 'offered' }, isOurs)
    path.prove(received.transactionId, clock.monotonicMs())
    await new Promise(setImmediate)
    await new Promise(setImmediate)
    expect(pushed.length, `${mayBegin} ${isOurs}`).toBe(pushes)
    await path.stop()
  }
})
