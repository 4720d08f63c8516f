import { expect, test } from 'vitest'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

const outOfStock = { transactionId: 42, reason: 'OUT_OF_STOCK', observedQuantity: 0 }
const conflict = { status: 409, body: '{"message":"A transação não está aguardando entrega."}' } as const
const transaction = (fields: object) => ({
  status: 200,
  body: JSON.stringify({ data: { transactionId: 42, ...fields } }),
})

test('a delivery refused after an unanswered attempt that did act is a success', async () => {
  await using platform = await ScriptedPlatform.start([
    { fault: 'reset' },
    conflict,
    transaction({ paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', deliveredAt: '2026-11-21T12:00:00.000Z' }),
  ])
  await using agent = await startTestAgent(platform.url)
  expect(await agent.call('transaction.delivery', goodInputs['transaction.delivery'])).toEqual({
    ok: true,
    data: {
      transactionId: 42,
      paymentStatus: 'PAGO',
      deliveryStatus: 'ENTREGUE',
      deliveredAt: '2026-11-21T12:00:00.000Z',
    },
  })
  expect(platform.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/api/transactions/42/delivery',
    'POST /v1/api/transactions/42/delivery',
    'GET /v1/api/transactions/42',
  ])
})

test('a delivery refused after an unanswered attempt that did not act is answered as a refusal in doubt', async () => {
  await using platform = await ScriptedPlatform.start([
    { fault: 'reset' },
    conflict,
    transaction({ paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' }),
  ])
  await using agent = await startTestAgent(platform.url)
  expect(await agent.call('transaction.delivery', goodInputs['transaction.delivery'])).toEqual({
    ok: false,
    message: 'A transação não está aguardando entrega.',
    status: 409,
    uncertain: true,
  })
})

for (const paymentStatus of ['PAGO', 'ESTORNADO']) {
  test(`an out-of-stock report refused after an unanswered attempt is a success when the transaction is ${paymentStatus} / FALHOU`, async () => {
    await using platform = await ScriptedPlatform.start([
      { fault: 'close' },
      conflict,
      transaction({ paymentStatus, deliveryStatus: 'FALHOU' }),
    ])
    await using agent = await startTestAgent(platform.url)
    expect(await agent.call('transaction.delivery-failure', outOfStock)).toEqual({
      ok: true,
      data: { transactionId: 42, paymentStatus, deliveryStatus: 'FALHOU', refundStarted: true, retryAt: null },
    })
  })
}

test('a TEMPORARY report in doubt stays in doubt: no state of a transaction proves it', async () => {
  await using platform = await ScriptedPlatform.start([
    { fault: 'reset' },
    conflict,
    transaction({ paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' }),
  ])
  await using agent = await startTestAgent(platform.url)
  const answer = await agent.call('transaction.delivery-failure', goodInputs['transaction.delivery-failure'])
  expect(answer).toMatchObject({ ok: false, status: 409, uncertain: true })
})

test('a delivery in doubt whose transaction cannot be read stays in doubt', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'reset' }, conflict])
  platform.otherwise = { status: 404, body: '{"message":"Transação não encontrada."}' }
  await using agent = await startTestAgent(platform.url)
  const answer = await agent.call('transaction.delivery', goodInputs['transaction.delivery'])
  expect(answer).toMatchObject({ ok: false, status: 409, uncertain: true })
})

test('a refusal that follows no doubt is plain, and nothing further is asked', async () => {
  await using platform = await ScriptedPlatform.start([conflict])
  await using agent = await startTestAgent(platform.url)
  const answer = await agent.call('transaction.delivery', goodInputs['transaction.delivery'])
  expect(answer).toEqual({ ok: false, message: 'A transação não está aguardando entrega.', status: 409 })
  expect(platform.seen).toHaveLength(1)
})

test('another refused call in doubt carries uncertain', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'reset' }, conflict])
  await using agent = await startTestAgent(platform.url)
  const answer = await agent.call('market.adjust-stock', goodInputs['market.adjust-stock'])
  expect(answer).toMatchObject({ ok: false, status: 409, uncertain: true })
})
