import { expect, test } from 'vitest'
import { isEnd, newOrder } from '../../../agent/orders/order.ts'
import { doubt, replaceOrder } from '../../../agent/orders/order-changes.ts'
import { order as paid } from '../fixtures/events.ts'

const text = JSON.stringify(paid)

test('a copy of an order that has replaced an earlier one of its number does not replace it again', () => {
  const earlier = newOrder({ ...paid, paidAt: '2025-01-01T00:00:00Z' }, '{}', 0)
  const replaced = replaceOrder(paid, text)(earlier, 1)?.order
  expect(replaced).toMatchObject({ phase: 'received', generation: 2, orderText: text })
  const delivered = { ...newOrder(paid, text, 1, 2), phase: 'closed', reported: 'DELIVERED' } as const
  expect(replaceOrder(paid, text)(delivered, 2)?.order).toMatchObject({ generation: 2, reported: 'DELIVERED' })
})

test('an order that ends in the moment in which it came counts as an end, and a second look at it does not', () => {
  const open = newOrder(paid, text, 1)
  const ended = { ...open, phase: 'closed' } as const
  expect(isEnd(open, ended)).toBe(true)
  expect(isEnd(ended, ended)).toBe(false)
})

test('the day of an order in doubt begins again where an earlier process had a clock that was ahead', () => {
  const dayMs = 24 * 3_600_000
  const taken = { ...newOrder(paid, text, 1), phase: 'taken', unknownSinceMs: 400 * dayMs } as const
  const asked = doubt(taken, 'the platform does not know it', 10 * dayMs)(taken, 2)?.order ?? taken
  expect(asked.unknownSinceMs).toBe(10 * dayMs)
  expect(doubt(asked, '', 11 * dayMs - 1)(asked, 3)).toBeUndefined()
  expect(doubt(asked, '', 11 * dayMs)(asked, 3)?.order?.phase).toBe('closed')
})
