import { expect, test } from 'vitest'
import { isEnd, newOrder } from '../../../agent/orders/order.ts'
import { replaceOrder } from '../../../agent/orders/order-changes.ts'
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
