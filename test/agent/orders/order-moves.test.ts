import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moveOrder, newOrder, type Order } from '../../../agent/orders/order.ts'
import {
  isOffered,
  nextOrderPhase,
  type OrderPhase,
  type OrderTrigger,
  orderMoves,
  orderPhases,
  orderTriggers,
} from '../../../agent/orders/order-moves.ts'
import { order as paid } from '../fixtures/events.ts'

const orderIn = (phase: OrderPhase): Order => ({ ...newOrder(paid, JSON.stringify(paid), 1_000), phase })
const triggers = fc.array(fc.constantFrom(...orderTriggers), { maxLength: 40 })
const isOver = (phase: OrderPhase) => phase === 'closed' || phase === 'lost'

/** Every phase an order goes through, the first one included. */
function walk(path: readonly OrderTrigger[]): Order[] {
  const orders = [newOrder(paid, JSON.stringify(paid), 1_000)]
  for (const [step, trigger] of path.entries()) {
    const last = orders.at(-1) as Order
    orders.push(moveOrder(last, trigger, 2_000 + step) ?? last)
  }
  return orders
}

test('a trigger that the table does not name in a phase changes nothing', () => {
  for (const phase of orderPhases) {
    for (const trigger of orderTriggers) {
      const isNamed = trigger in orderMoves[phase]
      expect([phase, trigger, moveOrder(orderIn(phase), trigger, 2_000) !== undefined]).toEqual([
        phase,
        trigger,
        isNamed,
      ])
    }
  }
})

test('only the platform, or a report that it accepted, ends an order', () => {
  const ending = orderPhases.flatMap((phase) =>
    orderTriggers.filter((trigger) => !isOver(phase) && isOver(orderMoves[phase][trigger]?.to ?? phase)),
  )
  expect([...new Set(ending)].sort()).toEqual(['end', 'lose', 'settle'])
})

test('an order that the platform still waits for is offered, whatever happened before', () => {
  fc.assert(
    fc.property(triggers, (path) => {
      const order = walk(path).at(-1) as Order
      if (isOver(order.phase)) return
      expect(isOffered(moveOrder(order, 'remind', 9_000)?.phase ?? 'lost')).toBe(true)
    }),
  )
})

test('an order that was put off is offered when it arrives again', () => {
  fc.assert(
    fc.property(triggers, (path) => {
      const order = walk([...path, 'put-off']).at(-1) as Order
      if (isOver(order.phase)) return
      const again = moveOrder(order, 'receive', 9_000)
      expect([again?.phase, again?.generation]).toEqual(['offered', order.generation + 1])
    }),
  )
})

test('a stored reply answers the platform only while our 2xx may have been lost', () => {
  expect(moveOrder(orderIn('taken'), 'receive', 2_000)?.phase).toBe('taken')
  expect(moveOrder(orderIn('acknowledged'), 'receive', 2_000)?.phase).toBe('offered')
  expect(moveOrder(orderIn('offered-again'), 'take', 2_000)?.phase).toBe('acknowledged')
})

test('an offer after a reply has a generation of its own, and no other move changes it', () => {
  fc.assert(
    fc.property(triggers, (path) => {
      for (const [before, after] of pairsOf(walk(path))) {
        const isOfferedAnew = isOffered(after.phase) && !isOffered(before.phase)
        const isAnother = after.phase === 'offered' && after.generation > before.generation
        expect(after.generation - before.generation).toBe(isOfferedAnew || isAnother ? 1 : 0)
      }
    }),
  )
})

function pairsOf(orders: readonly Order[]): [Order, Order][] {
  return orders.slice(1).map((after, at) => [orders[at] as Order, after])
}

test('the drawing in the decision shows every move between phases, and no other', () => {
  const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'decisions', '0064-ledger-and-bridge.md')
  const drawn = [...readFileSync(page, 'utf8').matchAll(/^ {4}(\w+) --> (\w+): (.*)$/gm)].flatMap(
    ([, from = '', to = '', triggers = '']) => triggers.split(', ').map((trigger) => `${from} ${trigger} ${to}`),
  )
  const moves = orderPhases.flatMap((from) =>
    orderTriggers
      .filter((trigger) => trigger !== 'receive-newer')
      .map((trigger) => ({ trigger, to: nextOrderPhase(from, trigger)?.to }))
      .filter(({ to }) => to !== undefined && to !== from)
      .map(({ trigger, to }) =>
        `${from} ${trigger} ${to}`
          .replaceAll('put-off', 'putOff')
          .replace(' putOff ', ' put-off ')
          .replaceAll('offered-again', 'offeredAgain'),
      ),
  )
  expect(drawn.sort()).toEqual(moves.sort())
  expect(orderPhases.map((from) => nextOrderPhase(from, 'receive-newer')?.to)).toEqual(orderPhases.map(() => 'offered'))
})
