import { expect, test } from 'vitest'
import { messagesOf } from '../../../agent/orders/message.ts'
import type { Order } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import { Waiters } from '../../../agent/orders/waiters.ts'
import { paidOrder as order } from '../fixtures/paid-order.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { openTestLedger } from '../fixtures/test-ledger.ts'

const orderText = JSON.stringify(order)
const end = {
  event: 'transaction_terminal',
  transactionId: 17,
  itemRef: 'sword-1',
  paymentStatus: 'ESTORNADO',
  deliveryStatus: 'FALHOU',
  reason: 'OUT_OF_STOCK',
  occurredAt: '2026-11-22T12:05:00Z',
} as const
const endText = '{"event":"transaction_terminal","transactionId":17,"reason":1.50}'

function setup() {
  const opened = openTestLedger()
  const clock = new TestClock()
  const lines: string[] = []
  const waiters = new Waiters(clock, 9_000)
  const book = new OrderBook({
    ledger: opened.ledger,
    clock,
    log: { info: (...line: unknown[]) => void lines.push(String(line[1])) },
    onChange: (changed) => waiters.follow(changed),
  })
  return { book, clock, lines, waiters, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}
const namesOf = (known: Order | undefined) => (known ? messagesOf(known) : []).map(({ name }) => name)

test('an order leaves one log line for each step of its life, and none for a step that changes nothing', async () => {
  await using opened = setup()
  const { book, lines } = opened
  await book.receiveOrder(order, orderText)
  await book.receiveOrder(order, orderText)
  await book.take(17, 4)
  const taken = await book.take(17, 3)
  await book.acknowledge(taken as Order)
  await book.settle(17)
  await book.receiveEnd(end, endText)
  await book.confirmEnd(17)
  expect(lines).toEqual([
    'order received',
    'order taken',
    'order acknowledged',
    'order settled',
    'transaction ended',
    'end confirmed',
  ])
})

test('the end of a transaction withdraws an order that was not taken, and is handed over itself', async () => {
  await using opened = setup()
  const { book } = opened
  expect(namesOf(await book.receiveOrder(order, orderText))).toEqual(['transfer_order-17'])
  const ended = await book.receiveEnd(end, endText)
  expect(namesOf(ended)).toEqual(['transaction_terminal-17'])
  expect(namesOf(await book.receiveOrder(order, orderText))).toEqual(['transaction_terminal-17'])
  expect(namesOf(await book.confirmEnd(17))).toEqual([])
})

test('an end carries its outcome and keeps every byte of its other members', async () => {
  await using opened = setup()
  const { book } = opened
  const [message] = messagesOf(await book.receiveEnd(end, endText))
  expect(message?.text).toBe('{"event":"transaction_terminal","transactionId":17,"reason":1.50,"outcome":"ESTORNADA"}')
})

test('an order with a later payment is another order, even after an end', async () => {
  await using opened = setup()
  const { book } = opened
  await book.receiveOrder(order, orderText)
  await book.receiveEnd(end, endText)
  const later = { ...order, paidAt: '2026-11-22T13:00:00Z' }
  const again = await book.receiveOrder(later, JSON.stringify(later))
  expect([again.phase, again.generation, again.endText]).toEqual(['offered', 2, null])
})

test('an order that comes again after TEMPORARY is offered under a new name, whatever became of the report', async () => {
  await using opened = setup()
  const { book } = opened
  await book.receiveOrder(order, orderText)
  await book.take(17, 4)
  await book.putOff(17)
  expect(namesOf(await book.receiveOrder(order, orderText))).toEqual(['transfer_order-17-2'])
})

test('an answer of the platform that is older than the order is ignored', async () => {
  await using opened = setup()
  const { book, clock } = opened
  const asked = await book.receiveOrder(order, orderText)
  clock.advance(1)
  const taken = await book.take(17, 4)
  expect(await book.closeAsked(asked, 'ESTORNADA')).toEqual(taken)
  expect((await book.closeAsked(taken as Order, 'ESTORNADA'))?.phase).toBe('closed')
})

test('a webhook learns that its order was taken, however soon, and waits no longer than it may', async () => {
  await using opened = setup()
  const { book, clock, waiters } = opened
  using waiter = waiters.open(17)
  await book.receiveOrder(order, orderText)
  await book.take(17, 4)
  expect(await waiter.taken).toMatchObject({ phase: 'taken', observedQuantity: 4 })
  using late = waiters.open(18)
  clock.advance(9_000)
  expect(await late.taken).toBeUndefined()
})

test('a reply to an earlier offer takes nothing, and an earlier 2xx acknowledges nothing', async () => {
  await using opened = setup()
  const { book } = opened
  await book.receiveOrder(order, orderText)
  const first = await book.take(17, 4, 1)
  await book.putOff(17)
  await book.receiveOrder(order, orderText)
  expect((await book.take(17, 9, 1))?.phase).toBe('offered')
  await book.take(17, 3, 2)
  expect((await book.acknowledge(first as Order))?.phase).toBe('taken')
})

test('an order that comes after its end is answered with what is known of its item', async () => {
  await using opened = setup()
  const { book } = opened
  await book.receiveOrder(order, orderText)
  await book.take(17, 4)
  await book.receiveEnd({ ...end, transactionId: 18 }, endText)
  await book.observe('sword-1', 2)
  expect(await book.receiveOrder({ ...order, transactionId: 18 }, orderText)).toMatchObject({
    phase: 'closed',
    observedQuantity: 2,
  })
})

test('an end that comes long after the delivery is among what ended lately', async () => {
  await using opened = setup()
  const { book, clock } = opened
  await book.receiveOrder(order, orderText)
  await book.settle(17)
  clock.advance(48 * 3_600_000)
  await book.receiveEnd(end, endText)
  expect(await book.findClosedSince(clock.wallMs() - 1)).toHaveLength(1)
})
