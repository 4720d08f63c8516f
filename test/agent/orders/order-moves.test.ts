import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameOrder, moveOrder, newOrder, type Order } from '../../../agent/orders/order.ts'
import { putOff, receiveOrder, takeReply } from '../../../agent/orders/order-changes.ts'
import {
  awaitsReply,
  isOver,
  type OrderPhase,
  type OrderTrigger,
  orderMoves,
  orderPhases,
  orderTriggers,
} from '../../../agent/orders/order-moves.ts'
import { orderResults } from '../../../contract/order-reply.ts'
import { order as paid } from '../fixtures/events.ts'

const orderIn = (phase: OrderPhase, fields: Partial<Order> = {}): Order => ({
  ...newOrder(paid, JSON.stringify(paid), 1_000),
  phase,
  ...fields,
})
const receiveAgain = (known: Order) => receiveOrder(paid, JSON.stringify(paid))(known, 2_000)?.order as Order
const transfers = ['unacknowledged', 'acknowledged', 'put-off'] as const
const triggers = fc.array(fc.constantFrom(...orderTriggers), { maxLength: 40 })

/** The order at the end of a path. */
function walk(path: readonly OrderTrigger[]): Order {
  return path.reduce((order, trigger, step) => moveOrder(order, trigger, 2_000 + step) ?? order, orderIn('received'))
}

test('a trigger that the table does not name in a phase changes nothing', () => {
  for (const phase of orderPhases)
    for (const trigger of orderTriggers)
      expect(moveOrder(orderIn(phase), trigger, 2_000) !== undefined, `${phase} ${trigger}`).toBe(
        trigger in orderMoves[phase],
      )
})

test('only the platform, or a report that it accepted, ends an order, and nothing opens it again', () => {
  const into = orderPhases.flatMap((from) =>
    Object.entries(orderMoves[from]).filter(([, { to }]) => !isOver(from) && isOver(to)),
  )
  expect(new Set(into.map(([trigger]) => trigger))).toEqual(new Set(['end', 'close']))
  for (const from of orderPhases.filter(isOver))
    for (const { to } of Object.values(orderMoves[from])) expect(isOver(to)).toBe(true)
})

test('an order is offered only after the platform was asked, whatever happened before', () => {
  for (const phase of orderPhases)
    for (const trigger of orderTriggers)
      if (phase !== 'offered' && orderMoves[phase][trigger]?.to === 'offered')
        expect(trigger, `from ${phase}`).toBe('await')
})

test('an order that the game server had and the platform still waits for is offered again, unless it is reported', () => {
  fc.assert(
    fc.property(triggers, (path) => {
      const order = walk(path)
      if (isOver(order.phase) || order.phase === 'reporting') return
      expect(moveOrder(order, 'await', 9_000)?.phase).toBe('offered')
    }),
  )
})

test('a new generation knows nothing about the reply to an earlier one', () => {
  const replied = { result: 'TEMPORARY', detail: 'x', lastTransfer: 'put-off', retryAtMs: 5 } as const
  fc.assert(
    fc.property(triggers, (path) => {
      const before = { ...walk(path), ...replied }
      const after = moveOrder(before, 'receive-anew', 9_000)
      if (!after || after.generation === before.generation) return
      const forgotten = { result: null, detail: null, lastTransfer: 'acknowledged', retryAtMs: null, reported: null }
      expect(after).toMatchObject(forgotten)
    }),
  )
})

test('a stored reply answers the platform while our 2xx may have been lost; then the order is a new one', () => {
  expect(receiveAgain(orderIn('taken')).phase).toBe('taken')
  const anew = { phase: 'received', generation: 2, lastTransfer: 'unacknowledged' }
  expect(receiveAgain(orderIn('taken', { lastTransfer: 'acknowledged' }))).toMatchObject(anew)
})

test('an order whose result is reported is not given again, except after a TEMPORARY that may have arrived', () => {
  for (const result of orderResults)
    for (const lastTransfer of transfers) {
      const again = receiveAgain(orderIn('reporting', { result, lastTransfer }))
      const isAnew = lastTransfer === 'put-off' || (result === 'TEMPORARY' && lastTransfer === 'acknowledged')
      expect(again.phase, `${result} ${lastTransfer}`).toBe(isAnew ? 'received' : 'reporting')
    }
})

test('the first result counts, whatever is replied later', () => {
  const reply = fc.record({
    observedQuantity: fc.nat(9),
    result: fc.constantFrom(null, ...orderResults),
    detail: fc.constant(null),
  })
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 8 }), (replies) => {
      let order = orderIn('offered')
      for (const one of replies) {
        const after = takeReply(one)(order, 2_000)?.order
        if (after) order = after
        else expect([null, order.result]).not.toContain(one.result)
      }
      expect(order.result).toBe(replies.find(({ result }) => result !== null)?.result ?? null)
    }),
  )
})

test('an order with another payment, item, quantity or buyer is another one, an earlier payment included', () => {
  const known = orderIn('taken')
  expect(isSameOrder(known, { ...paid, sellerCharacterRef: 'Caio' })).toBe(true)
  const others = [
    { paidAt: '2026-11-20T11:00:00Z' },
    { paidAt: '2026-11-22T11:00:00Z' },
    { itemRef: 'shield-1' },
    { quantity: 3 },
    { buyerCharacterRef: 'Caio' },
  ]
  for (const other of others) expect(isSameOrder(known, { ...paid, ...other })).toBe(false)
  expect(isSameOrder({ ...known, orderText: null }, paid)).toBe(false)
})

test('what waits for a reply is what has a message', () => {
  expect(orderPhases.filter(awaitsReply)).toEqual(['received', 'offered'])
})

test('a copy of an order that comes during its TEMPORARY report does not bring it back before its retryAt', () => {
  const copied = walk(['await', 'take', 'receive-anew'])
  expect(copied.phase).toBe('received')
  const known = putOff(60_000)(copied, 3_000)?.order
  expect(known).toMatchObject({ phase: 'put-off', retryAtMs: 60_000, generation: copied.generation })
})

test('the drawing in the decision shows every move between phases, and no other', () => {
  const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'decisions', '0087-one-reply-does-it-all.md')
  const drawn = [...readFileSync(page, 'utf8').matchAll(/^ {4}(\w+) --> (\w+): (.*)$/gm)].flatMap(
    ([, from = '', to = '', names = '']) => names.split(', ').map((trigger) => [from, trigger, to].join(' ')),
  )
  const inDrawing = (phase: OrderPhase) => phase.replace('put-off', 'putOff')
  const moves = orderPhases.flatMap((from) =>
    Object.entries(orderMoves[from])
      .filter(([, { to }]) => to !== from)
      .map(([trigger, { to }]) => `${inDrawing(from)} ${trigger} ${inDrawing(to)}`),
  )
  expect(drawn.sort()).toEqual(moves.sort())
})
