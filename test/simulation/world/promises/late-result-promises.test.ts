import { expect, test } from 'vitest'
import { cures } from '../../../../agent/language/cures.ts'
import { newOrder, type Order } from '../../../../agent/orders/order.ts'
import { order as paid } from '../../../agent/fixtures/events.ts'
import { LateResultPromises } from './late-result-promises.ts'

const refunded: Order = { ...newOrder(paid, JSON.stringify(paid), 0), phase: 'closed', outcome: 'ESTORNADA' }
const delivery = () => ({ operation: 'orders.take', input: { transactionId: 17, result: 'DELIVERED' } })
const refused = '{"ok":false,"code":"ORDER_CLOSED"}'

function watched(order: Order = refunded) {
  const broken: string[] = []
  const promises = new LateResultPromises({
    break: (promise) => void broken.push(promise),
    findOrder: () => order,
    nowMs: () => 0,
  })
  const tell = () => promises.onLogged({ text: '', level: 40, msg: '', transactionId: 17, cure: cures.takeBack() })
  return { broken, promises, tell }
}

test('a delivery after the refund must not be told ok', () => {
  const { broken, promises, tell } = watched()
  const call = delivery()
  promises.onTaken(call)
  tell()
  promises.onGiven(call, '{"ok":true,"data":{}}')
  expect(broken).toHaveLength(1)
})

test('the staff must be told about a delivery after the refund', () => {
  const { broken, promises, tell } = watched()
  const [told, untold] = [delivery(), delivery()]
  promises.onTaken(untold)
  promises.onGiven(untold, refused)
  expect(broken).toHaveLength(1)
  promises.onTaken(told)
  tell()
  promises.onGiven(told, refused)
  expect(broken).toHaveLength(1)
})

test('a delivery that was known before the refund is nothing new', () => {
  const { broken, promises } = watched({ ...refunded, result: 'DELIVERED' })
  const call = delivery()
  promises.onTaken(call)
  promises.onGiven(call, '{"ok":true,"data":{}}')
  expect(broken).toHaveLength(0)
})
