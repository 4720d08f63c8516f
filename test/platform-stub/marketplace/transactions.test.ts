import { expect, test } from 'vitest'
import { defaultSettings } from '../../../platform-stub/marketplace/settings.ts'
import { decideMove } from '../../../platform-stub/marketplace/transactions/moves.ts'
import type { TransactionRow } from '../../../platform-stub/store/transaction-rows.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

const row: TransactionRow = {
  id: 1,
  gameServerId: 1,
  listingId: 1,
  quantity: 2,
  unitAmountCents: 100,
  buyerCharacterRef: 'b',
  paymentStatus: 'AGUARDANDO_PAGAMENTO',
  deliveryStatus: null,
  checkoutToken: 't',
  createdAt: 0,
  expiresAt: 1_000,
  paidAt: null,
  deliveredAt: null,
  completedAt: null,
  failureReason: null,
  failureCount: 0,
  retryAt: null,
}

test('a delivery that is confirmed again answers the same, before and after completion', async () => {
  await using stub = await startStub({ settings: { completionDelayMs: 60_000 } })
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  const first = await server.call('transaction.delivery', { transactionId })
  await stub.advance(30)
  const second = await server.call('transaction.delivery', { transactionId })
  await stub.advance(31)
  const third = await server.call('transaction.delivery', { transactionId })
  expect(first.status).toBe(200)
  expect([second.text, third.text]).toEqual([first.text, first.text])
  expect((await stub.transaction(transactionId)).phase).toBe('completed')
})

test('OUT_OF_STOCK reported again answers the state as it is, and its observation is not taken twice', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  const report = { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0 }
  await server.call('transaction.delivery-failure', report)
  await stub.advance(1)
  const again = await server.call('transaction.delivery-failure', { ...report, observedQuantity: 4 })
  expect(again.data).toEqual({
    transactionId,
    paymentStatus: 'ESTORNADO',
    deliveryStatus: 'FALHOU',
    refundStarted: true,
    retryAt: null,
  })
  const [listing] = (await stub.request('GET', '/stub/listings')).data
  expect(listing.observedQuantity).toBe(0)
  expect((await stub.transaction(transactionId)).money.map(({ kind }) => kind)).toEqual(['payment', 'refund'])
})

test('TEMPORARY orders again at retryAt; before it, the report is the same and the newer observation counts', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  const fail = (observedQuantity: number) =>
    server.call('transaction.delivery-failure', { transactionId, reason: 'TEMPORARY', observedQuantity })

  const first = await fail(5)
  const reportedAt = await stub.now()
  expect(first.data).toMatchObject({
    paymentStatus: 'PAGO',
    deliveryStatus: 'AGUARDANDO_SERVIDOR',
    refundStarted: false,
  })
  expect(Math.abs(Date.parse(first.data.retryAt) - reportedAt - 15_000)).toBeLessThan(1_000)
  const repeated = await fail(3)
  expect(repeated.data.retryAt).toBe(first.data.retryAt)
  expect((await stub.request('GET', '/stub/listings')).data[0].observedQuantity).toBe(3)
  expect(receiver.received).toHaveLength(1)

  await stub.request('PUT', '/stub/clock', { now: first.data.retryAt })
  expect(receiver.received.map(({ event }) => event.event)).toEqual(['transfer_order', 'transfer_order'])
  expect(receiver.received[1]?.body).toEqual(receiver.received[0]?.body)
  const next = await fail(3)
  const waitMs = Date.parse(next.data.retryAt) - (await stub.now())
  expect(Math.abs(waitMs - 30_000)).toBeLessThan(1_000)
})

test('the waits after TEMPORARY failures double from 15 s to 1 h', () => {
  let transaction: TransactionRow = { ...row, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR', paidAt: 0 }
  let at = 0
  const waitsS = Array.from({ length: 10 }, () => {
    const decision = decideMove(transaction, { trigger: 'fail-temporary', at }, defaultSettings)
    if (decision.kind !== 'moved') throw new Error(decision.kind)
    transaction = decision.transaction
    const waitS = ((transaction.retryAt ?? 0) - at) / 1_000
    at = transaction.retryAt ?? 0
    return waitS
  })
  expect(waitsS).toEqual([15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
})

test('a report that is too late is a 409 that says the state of the transaction', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const unpaid = await server.purchase()
  const report = { reason: 'TEMPORARY', observedQuantity: 1 }
  const early = await server.call('transaction.delivery', { transactionId: unpaid })
  expect([early.status, early.message]).toEqual([
    409,
    'A transação não permite isso agora: ela está em AGUARDANDO_PAGAMENTO.',
  ])
  const paid = await server.paidTransaction()
  await server.call('transaction.delivery', { transactionId: paid })
  const late = await server.call('transaction.delivery-failure', { transactionId: paid, ...report })
  expect([late.status, late.message]).toEqual([409, 'A transação não permite isso agora: ela está em PAGO / ENTREGUE.'])
  const [listing] = (await stub.request('GET', '/stub/listings')).data
  expect(listing.observedQuantity).toBe(null)
})

test('an unpaid purchase expires at its own moment and can no longer be paid', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub({ settings: { paymentExpiryMs: 60_000 } })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.purchase()
  const { expiresAt } = await stub.transaction(transactionId)
  await stub.advance(3_600)
  const { event } = await receiver.event('transaction_terminal')
  expect(event).toMatchObject({ paymentStatus: 'EXPIRADO', deliveryStatus: null, reason: null, occurredAt: expiresAt })
  expect((await stub.pay(transactionId)).status).toBe(409)
  expect((await stub.transaction(transactionId)).history.at(-1)).toMatchObject({ trigger: 'expire', at: expiresAt })
})

test('a paid purchase does not expire', async () => {
  await using stub = await startStub({ settings: { paymentExpiryMs: 60_000 } })
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  await stub.advance(3_600)
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-server')
})

test('completion comes its delay after delivery, and waits while a dispute is open', async () => {
  await using stub = await startStub({ settings: { completionDelayMs: 60_000 } })
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  await server.call('transaction.delivery', { transactionId })
  await stub.advance(50)
  await stub.request('POST', `/stub/transactions/${transactionId}/dispute`)
  await stub.advance(100)
  expect((await stub.transaction(transactionId)).phase).toBe('disputed')
  await stub.request('POST', `/stub/transactions/${transactionId}/reject-dispute`)
  await stub.advance(0)
  const { phase, completedAt, deliveredAt } = await stub.transaction(transactionId)
  expect(phase).toBe('completed')
  expect(Date.parse(completedAt ?? '') - Date.parse(deliveredAt ?? '')).toBeGreaterThanOrEqual(150_000)
})

test('quantitySold is the sum of what is paid and not refunded', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const sold = async () => (await stub.request('GET', '/stub/listings')).data[0].quantitySold
  const kept = await server.paidTransaction({ quantity: 2 })
  const disputed = await server.paidTransaction({ quantity: 1 })
  await server.purchase({ quantity: 1 })
  expect(await sold()).toBe(3)
  await stub.request('POST', `/stub/transactions/${disputed}/dispute`)
  await stub.request('POST', `/stub/transactions/${disputed}/refund`)
  expect(await sold()).toBe(2)
  await server.call('transaction.delivery-failure', {
    transactionId: kept,
    reason: 'OUT_OF_STOCK',
    observedQuantity: 0,
  })
  await stub.advance(0)
  expect(await sold()).toBe(0)
})

test('eligibility names the first obstacle, and what to do about it', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const after = async (state: Record<string, boolean>) => {
    await stub.request('PUT', `/stub/game-servers/${server.id}/characters/c`, state)
    const { data } = await server.call('market.eligibility', { characterRef: 'c' })
    expect(data.message).toEqual(expect.any(String))
    return [data.allowed, data.blocker, data.selling.blockers, data.selling.action]
  }
  const unknown = await server.call('market.eligibility', { characterRef: 'c' })
  expect(unknown.data).toMatchObject({ blocker: 'NOT_LINKED', selling: { action: 'LINK_CHARACTER' } })
  expect(await after({ linked: true })).toEqual([false, 'SELLING_BLOCKED', ['RECIPIENT_MISSING'], 'CREATE_RECIPIENT'])
  expect(await after({ sellingBlocked: true, banned: true })).toEqual([
    false,
    'CHARACTER_BANNED',
    ['SELLING_BLOCKED', 'RECIPIENT_MISSING'],
    'CONTACT_SUPPORT',
  ])
  expect(await after({ sellingBlocked: false, banned: false, recipientApproved: true })).toEqual([true, null, [], null])
})
