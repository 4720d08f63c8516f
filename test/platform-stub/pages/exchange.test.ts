import { expect, test } from 'vitest'
import { exchangeOf } from '../../../platform-stub/pages/console/exchange.ts'
import type { SentWebhook } from '../../../platform-stub/store/console-queries.ts'
import { webhookAnswerKeptLengthMax } from '../../../platform-stub/webhooks/outcome.ts'

const order: SentWebhook = {
  id: 7,
  gameServerId: 1,
  transactionId: 1,
  event: 'transfer_order',
  payload: '{}',
  state: 'pending',
  attempts: 2,
  nextAttemptAt: 60_000,
  createdAt: 0,
  closedAt: null,
  isHeld: 0,
  recordedAttempts: 2,
  acknowledgedAt: null,
  answer: null,
}
const closed: SentWebhook = { ...order, state: 'acknowledged', nextAttemptAt: null, closedAt: 30_000 }

test.each([
  ['awaiting-payment', [{ kind: 'act', phase: 'awaiting-payment' }]],
  ['awaiting-server', [{ kind: 'act', phase: 'awaiting-server' }]],
  ['disputed', [{ kind: 'act', phase: 'disputed' }]],
  ['delivered', []],
  ['failed', []],
  ['completed', []],
  ['refunded-after-failure', []],
  ['refunded-after-dispute', []],
  ['expired', []],
  ['cancelled', []],
] as const)(
  'a transaction in the phase %s expects the act that ends the phase, and nothing else',
  (phase, expected) => {
    expect(exchangeOf(phase, [], [], true, 0)).toEqual({ acknowledged: [], expected })
  },
)

test('an order that is not acknowledged is expected, with the number and the time of its next attempt', () => {
  const next = { kind: 'acknowledgement', id: 7, event: 'transfer_order', attempt: 3 }
  const expectedOf = (webhook: SentWebhook, hasReceiver: boolean, nowMs = 59_999) =>
    exchangeOf('delivered', [webhook], [], hasReceiver, nowMs).expected
  expect(expectedOf(order, true)).toEqual([{ ...next, due: { atMs: 60_000 } }])
  expect(expectedOf(order, false)).toEqual([{ ...next, due: 'webhook-url' }])
  expect(expectedOf({ ...order, isHeld: 1 }, true)).toEqual([{ ...next, due: 'terminal' }])
  expect(expectedOf({ ...closed, state: 'ended' }, true)).toEqual([])
  expect(expectedOf(order, true, 60_000)).toEqual([{ ...next, due: 'now' }])
})

test('an attempt that was begun and not answered is under way under its own number', () => {
  const begun = { ...order, attempts: 1, recordedAttempts: 0 }
  const [expected] = exchangeOf('delivered', [begun], [], true, 68_000).expected
  expect(expected).toMatchObject({ attempt: 1, due: 'under-way' })
})

test('acts come first, then webhooks, then what time does', () => {
  const due = [{ transactionId: 1, trigger: 'complete', dueAt: 90_000 }] as const
  expect(exchangeOf('awaiting-server', [order], due, true, 0).expected.map(({ kind }) => kind)).toEqual([
    'act',
    'acknowledgement',
    'move',
  ])
})

test.each([
  ['{"observedQuantity":5}', 5],
  ['{"data":{"observedQuantity":0}}', 0],
  ['{"ok":true}', 'none'],
  ['', 'none'],
  [null, 'none'],
  ['x'.repeat(webhookAnswerKeptLengthMax), 'cut'],
])('an order that was acknowledged with %j is shown with the stock %j', (answer, observation) => {
  const webhooks = [{ ...closed, acknowledgedAt: 30_000, answer }]
  expect(exchangeOf('delivered', webhooks, [], true, 0)).toEqual({
    acknowledged: [{ id: 7, event: 'transfer_order', atMs: 30_000, observation }],
    expected: [],
  })
})

test('a terminal that was acknowledged asks for no stock', () => {
  const webhooks = [{ ...closed, event: 'transaction_terminal', acknowledgedAt: 30_000, answer: '{}' } as const]
  expect(exchangeOf('completed', webhooks, [], true, 0).acknowledged).toEqual([
    { id: 7, event: 'transaction_terminal', atMs: 30_000, observation: null },
  ])
})

test('an acknowledged order that is sent again is both acknowledged and expected', () => {
  const webhooks = [{ ...order, acknowledgedAt: 30_000, answer: '{"observedQuantity":1}' }]
  const { acknowledged, expected } = exchangeOf('delivered', webhooks, [], true, 0)
  expect([acknowledged.length, expected.length]).toEqual([1, 1])
})
