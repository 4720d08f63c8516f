import { expect, onTestFinished, test, vi } from 'vitest'
import { FileSync } from '../../../agent/durable-files/file-sync.ts'
import { messagesOf } from '../../../agent/orders/message.ts'
import type { Order } from '../../../agent/orders/order.ts'
import { OrderBook } from '../../../agent/orders/order-book.ts'
import { Waiters } from '../../../agent/orders/waiters.ts'
import { end, order } from '../fixtures/events.ts'
import { listLog } from '../fixtures/list-log.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { openTestLedger } from '../fixtures/test-ledger.ts'

const orderText = JSON.stringify(order)
const endText = '{"event":"transaction_terminal","transactionId":17,"reason":1.50}'

function setup() {
  const opened = openTestLedger()
  const clock = new TestClock()
  const { log, lines } = listLog()
  const waiters = new Waiters(clock, 9_000)
  const book = new OrderBook({
    ledger: opened.ledger,
    clock,
    log,
    onChange: (changed) => waiters.follow(changed),
    onObserved: async () => undefined,
  })
  return { book, clock, lines, waiters, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}
const namesOf = (known: Order | undefined) => (known ? messagesOf(known) : []).map(({ name }) => name)

/** The life of one order: each step, and the log line that it leaves; none for a step that changes nothing. */
const life: readonly (readonly [act: (book: OrderBook) => Promise<unknown>, line: string | undefined])[] = [
  [(book) => book.receiveOrder(order, orderText), 'order received'],
  [(book) => book.receiveOrder(order, orderText), undefined],
  [(book) => book.countOffer(17, 1, true), 'order offered to the game server'],
  [(book) => book.take(17, 4), 'order taken by the game server'],
  [(book) => book.take(17, 3), undefined],
  [(book) => book.putOff(17), 'order put off: the game server reports TEMPORARY'],
  [(book) => book.setRetryAt(17, 1_000), 'order put off until its retryAt'],
  [(book) => book.receiveOrder(order, orderText), 'order received'],
  [(book) => book.countOffer(17, 2, true), 'order offered to the game server'],
  [(book) => book.take(17, 4, 2), 'order taken by the game server'],
  [async (book) => book.acknowledge(await known(book)), 'order acknowledged to the platform'],
  [async (book) => book.remind(await known(book)), 'order open again: the platform still waits for its delivery'],
  [(book) => book.take(17, 4, 3), 'order taken by the game server'],
  [(book) => book.settle(17, 'delivered'), 'order closed: delivered'],
  [(book) => book.receiveEnd(end, endText), 'end of the transaction received'],
  [(book) => book.confirmEnd(17), 'end of the transaction handed on to the game server'],
  [(book) => book.removeClosedBefore(Number.MAX_SAFE_INTEGER, 'remove'), 'order removed: it was closed 30 days ago'],
]
const known = async (book: OrderBook) => (await book.find(17)) as Order

test('each step of an order leaves one log line with its transaction, and a step that changes nothing leaves none', async () => {
  await using opened = setup()
  const { book, lines } = opened
  for (const [act, line] of life) {
    const before = lines.length
    await act(book)
    expect(lines.slice(before)).toMatchObject(
      line === undefined ? [] : [{ msg: line, level: 'info', transactionId: 17 }],
    )
  }
})

test('an order is synced twice from its arrival to our 2xx: when it is received and when it is taken', async () => {
  await using opened = setup()
  const { book } = opened
  const sync = vi.spyOn(FileSync.prototype, 'sync')
  onTestFinished(() => sync.mockRestore())
  const received = await book.receiveOrder(order, orderText)
  expect(sync).toHaveBeenCalledTimes(1)
  await book.countOffer(17, 1, true)
  expect(sync).toHaveBeenCalledTimes(1)
  await book.take(17, 4)
  expect(sync).toHaveBeenCalledTimes(2)
  expect(await book.acknowledge(received)).toMatchObject({ phase: 'acknowledged', offers: 1 })
  expect(sync).toHaveBeenCalledTimes(2)
})

test('an order that ends in another way leaves a line that says how', async () => {
  await using opened = setup()
  const { book, lines } = opened
  const received = () => book.receiveOrder(order, orderText)
  const ways: readonly (readonly [act: () => Promise<unknown>, msg: string])[] = [
    [async () => book.settle(17, 'out of stock'), 'order closed: out of stock'],
    [async () => book.closeAsked(await known(book), 'ESTORNADA'), 'order closed: the platform says that it is over'],
    [async () => book.loseAsked(await known(book)), 'order closed: the platform answers 404'],
    [
      async () => book.receiveEnd(end, endText),
      'order withdrawn: its transaction ended before the game server took it',
    ],
  ]
  for (const [act, msg] of ways) {
    await received()
    await act()
    expect(lines.at(-1)).toMatchObject({ msg, transactionId: 17 })
    await book.removeClosedBefore(Number.MAX_SAFE_INTEGER, 'remove')
  }
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

test('an end that occurred later than the known one is that of another transaction with its number', async () => {
  await using test = setup()
  const { book } = test
  const textOf = (occurredAt: string) => JSON.stringify({ ...end, occurredAt })
  const receive = (occurredAt: string) => book.receiveEnd({ ...end, occurredAt }, textOf(occurredAt))
  await receive('2026-11-22T12:05:00Z')
  await book.confirmEnd(17)
  expect(namesOf(await receive('2026-11-22T12:05:00Z'))).toEqual([])
  const later = await receive('2026-11-22T12:05:01Z')
  expect(later.endText).toBe(textOf('2026-11-22T12:05:01Z'))
  expect(namesOf(later)).toEqual(['transaction_terminal-17'])
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

test('an answer of the platform that is older than a repeated report of TEMPORARY is ignored', async () => {
  await using opened = setup()
  const { book, clock } = opened
  await book.receiveOrder(order, orderText)
  const asked = await book.putOff(17)
  clock.advance(1)
  await book.putOff(17)
  expect((await book.remind(asked as Order))?.phase).toBe('put-off')
})

test('an order that the platform still waits for is offered again, although our 2xx left while the platform was asked', async () => {
  await using opened = setup()
  const { book, clock } = opened
  await book.receiveOrder(order, orderText)
  const asked = (await book.take(17, 4)) as Order
  clock.advance(1)
  await book.acknowledge(asked)
  expect(await book.remind(asked)).toMatchObject({ phase: 'offered-again', generation: 2 })
})

test('a reply that no webhook waits for answers none: the next order is a new one', async () => {
  await using opened = setup()
  const { book } = opened
  await book.receiveOrder(order, orderText)
  await book.acknowledge((await book.take(17, 4)) as Order)
  const again = await book.remind((await book.find(17)) as Order)
  expect(namesOf(again)).toEqual(['transfer_order-17-2'])
  await book.take(17, 4, 2)
  expect(namesOf(await book.receiveOrder(order, orderText))).toEqual(['transfer_order-17-3'])
})

test('a webhook learns that its order was taken, however soon, and waits no longer than it may', async () => {
  await using opened = setup()
  const { book, clock, waiters } = opened
  using waiter = waiters.open(17)
  await book.receiveOrder(order, orderText)
  await book.take(17, 4)
  expect(await waiter.taken(1)).toMatchObject({ phase: 'taken', observedQuantity: 4 })
  using late = waiters.open(18)
  clock.advance(9_000)
  expect(await late.taken(1)).toBeUndefined()
})

test('a webhook whose order is offered anew is not answered by the reply to the offer before', async () => {
  await using opened = setup()
  const { book, waiters } = opened
  await book.receiveOrder(order, orderText)
  const first = (await book.take(17, 4)) as Order
  using waiter = waiters.open(17)
  await book.acknowledge(first)
  const { generation } = await book.receiveOrder(order, orderText)
  const taken = waiter.taken(generation)
  await book.take(17, 3, generation)
  expect(await taken).toMatchObject({ generation: 2, observedQuantity: 3 })
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

test('an order that arrives together with an observation does not undo it', async () => {
  await using opened = setup()
  const { book } = opened
  await book.receiveOrder(order, orderText)
  await book.take(17, 4)
  await Promise.all([book.receiveOrder({ ...order, transactionId: 18 }, orderText), book.observe('sword-1', 2)])
  expect((await book.find(17))?.observedQuantity).toBe(2)
  expect((await book.find(18))?.observedQuantity).toBe(2)
})

test('an end that comes long after the delivery is among what ended lately', async () => {
  await using opened = setup()
  const { book, clock } = opened
  await book.receiveOrder(order, orderText)
  await book.settle(17, 'delivered')
  clock.advance(48 * 3_600_000)
  await book.receiveEnd(end, endText)
  expect(await book.findClosedSince(clock.wallMs() - 1)).toHaveLength(1)
})
