import { expect, test } from 'vitest'
import type { Message } from '../../../agent/orders/message.ts'
import { type Handover, Offers, type Reply } from '../../../agent/orders/offers.ts'
import { moveOrder, newOrder, type Order } from '../../../agent/orders/order.ts'
import { order as paid } from '../fixtures/events.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const offered = newOrder(paid, JSON.stringify(paid), 1_000)
const afterTurns = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

/** A game server that answers as the test says, and what was pushed to it. */
function setup() {
  const clock = new TestClock()
  const pushes: { name: string; atMs: number }[] = []
  const withdrawn: string[] = []
  const replies: [Message, Reply][] = []
  let answer: Awaited<ReturnType<Handover['offer']>> = 'unanswered'
  const startMs = clock.monotonicMs()
  const offers = new Offers({
    clock,
    handover: {
      async offer(message) {
        pushes.push({ name: message.name, atMs: clock.monotonicMs() - startMs })
        return answer
      },
      withdraw: ({ name }) => withdrawn.push(name),
      start: async () => undefined,
      stop: async () => undefined,
      close: async () => undefined,
    },
    async onReply(message, reply) {
      replies.push([message, reply])
    },
    onPush: () => undefined,
  })
  return { clock, offers, pushes, withdrawn, replies, answerWith: (next: typeof answer) => (answer = next) }
}

test('an order is offered at once, then after 1 s, doubling to 30 s, without end', async () => {
  const { clock, offers, pushes } = setup()
  offers.follow(offered)
  for (let second = 0; second < 130; second++) {
    await afterTurns()
    clock.advance(1_000)
  }
  expect(pushes.map(({ atMs }) => atMs / 1_000)).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121])
})

test('a message is withdrawn as soon as the order needs it no more', async () => {
  const { clock, offers, pushes, withdrawn } = setup()
  offers.follow(offered)
  await afterTurns()
  offers.follow(moveOrder(offered, 'take', 2_000) as Order)
  expect(withdrawn).toEqual(['transfer_order-17'])
  clock.advance(60_000)
  await afterTurns()
  expect(pushes).toHaveLength(1)
})

test('an order that is offered anew has a name of its own', async () => {
  const { offers, pushes } = setup()
  const taken = moveOrder(offered, 'take', 2_000) as Order
  for (const order of [offered, taken, moveOrder(taken, 'remind', 3_000) as Order]) {
    offers.follow(order)
    await afterTurns()
  }
  expect(pushes.map(({ name }) => name)).toEqual(['transfer_order-17', 'transfer_order-17-2'])
})

test('a message whose text has changed takes the place of the one with its name', async () => {
  const { offers, pushes, withdrawn } = setup()
  const ended = (endText: string): Order => ({ ...offered, phase: 'closed', endText })
  offers.follow(ended('{"occurredAt":"1"}'))
  offers.follow(ended('{"occurredAt":"1"}'))
  await afterTurns()
  offers.follow(ended('{"occurredAt":"2"}'))
  await afterTurns()
  expect(pushes.map(({ name }) => name)).toEqual(['transaction_terminal-17', 'transaction_terminal-17'])
  expect(withdrawn).toEqual(['transaction_terminal-17'])
})

test('a reply is passed on with its message', async () => {
  const { offers, replies, answerWith } = setup()
  answerWith({ observedQuantity: 4 })
  offers.follow(offered)
  await afterTurns()
  expect(replies).toMatchObject([[{ transactionId: 17, event: 'transfer_order' }, { observedQuantity: 4 }]])
})

test('an order that arrives again is pushed now, but not twice at a time', async () => {
  const { clock, offers, pushes } = setup()
  offers.follow(offered)
  offers.hasten(17)
  await afterTurns()
  expect(pushes).toHaveLength(1)
  clock.advance(500)
  offers.hasten(17)
  clock.advance(0)
  await afterTurns()
  expect(pushes.map(({ atMs }) => atMs)).toEqual([0, 500])
})

test('nothing is pushed after a stop', async () => {
  const { clock, offers, pushes } = setup()
  offers.follow(offered)
  await afterTurns()
  offers.stop()
  offers.follow({ ...offered, transactionId: 18 })
  clock.advance(60_000)
  await afterTurns()
  expect(pushes).toHaveLength(1)
})
