import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { observedQuantityOf, transactionTerminal, transferOrder, webhookEvents } from '../../contract/events.ts'

// Written from interface section 6, not from the code.

const order = {
  event: 'transfer_order',
  transactionId: 7,
  itemRef: 'item-1',
  quantity: 2,
  buyerCharacterRef: 'Ana',
  sellerCharacterRef: 'Zé',
  paidAt: '2026-01-01T00:00:00Z',
}
const terminal = {
  event: 'transaction_terminal',
  transactionId: 7,
  itemRef: 'item-1',
  paymentStatus: 'ESTORNADO',
  deliveryStatus: 'FALHOU',
  reason: 'OUT_OF_STOCK',
  occurredAt: '2026-01-01T00:00:00Z',
}

test('only two events exist', () => {
  expect(Object.keys(webhookEvents).sort()).toEqual(['transaction_terminal', 'transfer_order'])
  expect(webhookEvents.transfer_order.payload).toBe(transferOrder)
  expect(webhookEvents.transaction_terminal.payload).toBe(transactionTerminal)
})

test('each event wants every field that the interface lists, and lets others pass', () => {
  for (const [schema, event] of [
    [transferOrder, order],
    [transactionTerminal, terminal],
  ] as const) {
    expect(schema.safeParse(event).data).toEqual(event)
    expect(schema.safeParse({ ...event, later: { field: 1 } }).data).toEqual({ ...event, later: { field: 1 } })
    for (const field of Object.keys(event)) {
      const { [field]: _, ...rest } = event as Record<string, unknown>
      expect(schema.safeParse(rest).success, `without ${field}`).toBe(false)
      for (const wrong of ['', [], {}, true, -1, 1.5]) {
        if (field === 'reason' && wrong === '') continue
        expect(schema.safeParse({ ...event, [field]: wrong }).success, `${field}: ${JSON.stringify(wrong)}`).toBe(false)
      }
    }
  }
})

test('deliveryStatus and reason of a terminal event may be null, and no other field', () => {
  for (const event of [order, terminal]) {
    const schema = webhookEvents[event.event as keyof typeof webhookEvents].payload
    const nullable = Object.keys(event).filter((field) => schema.safeParse({ ...event, [field]: null }).success)
    expect(nullable).toEqual(event === terminal ? ['deliveryStatus', 'reason'] : [])
  }
})

test('one event is never taken for the other', () => {
  expect(transferOrder.safeParse({ ...order, event: 'transaction_terminal' }).success).toBe(false)
  expect(transactionTerminal.safeParse({ ...terminal, event: 'transfer_order' }).success).toBe(false)
  expect(transferOrder.safeParse({ ...order, ...terminal }).success).toBe(false)
})

test('an observation is read bare or under data, zero too', () => {
  for (const observedQuantity of [0, 1, 7, Number.MAX_SAFE_INTEGER]) {
    expect(observedQuantityOf({ observedQuantity })).toBe(observedQuantity)
    expect(observedQuantityOf({ data: { observedQuantity } })).toBe(observedQuantity)
    expect(observedQuantityOf({ observedQuantity, note: 1 })).toBe(observedQuantity)
    expect(observedQuantityOf({ ok: true, data: { observedQuantity, note: 1 } })).toBe(observedQuantity)
  }
})

test('where both forms are there, the bare one counts if it is an observation', () => {
  expect(observedQuantityOf({ observedQuantity: 3, data: { observedQuantity: 5 } })).toBe(3)
  expect(observedQuantityOf({ observedQuantity: 3, data: 'x' })).toBe(3)
  expect(observedQuantityOf({ observedQuantity: 'x', data: { observedQuantity: 5 } })).toBe(5)
})

test('a reply without an observation has none, and nothing makes the reader throw', () => {
  const replies = [
    undefined,
    null,
    '',
    'ok',
    0,
    7,
    true,
    [],
    [7],
    {},
    { data: null },
    { data: 7 },
    { data: [] },
    { data: {} },
  ]
  for (const reply of replies) expect(observedQuantityOf(reply)).toBeUndefined()
  for (const observedQuantity of [-1, 1.5, '7', null, true, [7], 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(observedQuantityOf({ observedQuantity })).toBeUndefined()
    expect(observedQuantityOf({ data: { observedQuantity } })).toBeUndefined()
  }
  expect(observedQuantityOf({ data: { data: { observedQuantity: 7 } } })).toBeUndefined()
})

test('whatever JSON a receiver answers, an observation is a whole number from 0 or nothing', async () => {
  const part = fc.oneof(
    fc.jsonValue(),
    fc.record({ observedQuantity: fc.jsonValue() }),
    fc.record({ data: fc.jsonValue() }),
  )
  await fc.assert(
    fc.property(fc.oneof(part, fc.record({ observedQuantity: part, data: part }, { requiredKeys: [] })), (reply) => {
      const observed = observedQuantityOf(reply)
      return observed === undefined || (Number.isSafeInteger(observed) && observed >= 0)
    }),
  )
})
