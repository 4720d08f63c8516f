import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { openEnvelope } from '../../../contract/envelope/open.ts'
import { answering, type ReceivedWebhook, startReceiver } from '../fixtures/receiver.ts'
import { type GameServer, startStub } from '../fixtures/stub.ts'

/** Whether a game server that follows the interface accepts the webhook. */
async function isSigned({ rawHeaders, body }: ReceivedWebhook, server: GameServer): Promise<boolean> {
  const headerLines = rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'x-platform-signature')
  const keys = new Map([[server.platformKid, createPublicKey(server.platformPublicKeyPem)]])
  return (await openEnvelope({ headerLines, body }, { keys, nowS: Date.now() / 1_000, leewayS: 1, request: null })).ok
}

test('a test event arrives signed like a real one, under a number that no sale has, and leaves the market as it was', async () => {
  await using receiver = await startReceiver(answering(200, { observedQuantity: 7 }))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const { status, data } = await stub.request('POST', `/stub/game-servers/${server.id}/test-events`, {
    event: 'transfer_order',
  })
  const [webhook] = receiver.received
  expect(webhook && (await isSigned(webhook, server))).toBe(true)
  expect(webhook?.event).toEqual({
    event: 'transfer_order',
    transactionId: 2_000_000_001,
    itemRef: 'test-item',
    quantity: 1,
    buyerCharacterRef: 'test-buyer',
    sellerCharacterRef: 'test-seller',
    paidAt: expect.any(String),
  })
  expect([status, data]).toEqual([
    200,
    expect.objectContaining({
      event: 'transfer_order',
      url: receiver.url,
      responseStatus: 200,
      responseBody: '{"observedQuantity":7}',
      failure: null,
      body: webhook?.body.toString(),
      deliveryId: null,
    }),
  ])
  expect((await stub.request('GET', `/stub/game-servers/${server.id}/test-events`)).data).toEqual([data])
  for (const list of ['transactions', 'webhooks']) {
    expect((await stub.request('GET', `/stub/${list}`)).data).toEqual([])
  }
})

test('each test event is another transaction, unless one is named to repeat or to end it', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub({ seed: 'jtis differ all the same' })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const send = (body: object) => stub.request('POST', `/stub/game-servers/${server.id}/test-events`, body)
  const order = { event: 'transfer_order', itemRef: 'sword-1', quantity: 2, buyerCharacterRef: 'a' }
  const sent = await Promise.all([send(order), send(order)])
  const [first, second] = sent.map(({ data }) => data)
  expect(first.payload.transactionId).not.toBe(second.payload.transactionId)
  const { transactionId } = first.payload
  const repeated = (await send({ ...order, transactionId })).data
  expect(repeated.payload).toEqual({ ...first.payload, paidAt: repeated.payload.paidAt })
  expect(repeated.protectedHeader.jti).not.toBe(first.protectedHeader.jti)
  for (const [outcome, paymentStatus, deliveryStatus, reason] of [
    ['CONCLUIDA', 'PAGO', 'ENTREGUE', null],
    ['ESTORNADA', 'ESTORNADO', 'FALHOU', 'OUT_OF_STOCK'],
    ['EXPIRADA', 'EXPIRADO', null, null],
    ['CANCELADA', 'CANCELADO', null, null],
  ]) {
    const { data } = await send({ event: 'transaction_terminal', transactionId, outcome })
    expect(data.payload).toMatchObject({ transactionId, paymentStatus, deliveryStatus, reason })
  }
  const real = await send({ event: 'transaction_terminal', transactionId: 17 })
  expect([real.status, real.message]).toEqual([400, expect.stringContaining('"transactionId"')])
  expect(receiver.received).toHaveLength(7)
})

test('a test event goes to the named address once, whatever it answers; the game server’s own address stays', async () => {
  await using own = await startReceiver()
  await using other = await startReceiver(answering(503, { error: 'down' }))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: own.url })
  const send = (body: object) => stub.request('POST', `/stub/game-servers/${server.id}/test-events`, body)
  const { status, data } = await send({ event: 'transaction_terminal', webhookUrl: other.url })
  expect([status, data.url, data.responseStatus]).toEqual([200, other.url, 503])
  const unreachable = await send({ event: 'transfer_order', webhookUrl: 'http://127.0.0.1:1/webhook' })
  expect(unreachable.data).toMatchObject({ responseStatus: null, failure: expect.stringContaining('ECONNREFUSED') })
  await stub.advance(3_600)
  expect([own.received.length, other.received.length]).toEqual([0, 1])
  const [known] = (await stub.request('GET', '/stub/game-servers')).data
  expect(known.webhookUrl).toBe(own.url)
  expect((await send({ event: 'transfer_order', webhookUrl: 'ftp://x' })).status).toBe(400)
})

test('a game server without an address gets a test event only where one is named', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer()
  const send = (body: object) => stub.request('POST', `/stub/game-servers/${server.id}/test-events`, body)
  expect((await send({ event: 'transfer_order' })).status).toBe(409)
  expect((await send({ event: 'transfer_order', webhookUrl: receiver.url })).data.responseStatus).toBe(200)
  expect((await stub.request('POST', '/stub/game-servers/9/test-events', { event: 'transfer_order' })).status).toBe(404)
})

test('faults are for sales: a test event is sent as it should be', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await stub.request('POST', '/stub/webhook-faults', { kind: 'altered-body' })
  await stub.request('POST', `/stub/game-servers/${server.id}/test-events`, { event: 'transfer_order' })
  const [webhook] = receiver.received
  expect(webhook && (await isSigned(webhook, server))).toBe(true)
  expect((await stub.request('GET', '/stub/webhook-faults')).data).toHaveLength(1)
})

test('a delivery is sent again to another address once; where it goes and when stays as it was', async () => {
  await using own = await startReceiver(answering(503))
  await using other = await startReceiver(answering(200, { observedQuantity: 0 }))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: own.url })
  const transactionId = await server.paidTransaction()
  await own.count(1)
  const delivery = async () => (await stub.deliveries(transactionId))[0]
  await expect.poll(async () => (await delivery())?.attempts.length).toBe(1)
  const before = await delivery()
  const resend = (body: object) => stub.request('POST', `/stub/webhooks/${before?.id}/resend`, body)
  const { status, data } = await resend({ webhookUrl: other.url })
  const [webhook] = other.received
  expect(webhook && (await isSigned(webhook, server))).toBe(true)
  expect(webhook?.event).toEqual(before?.payload)
  expect(data.sentElsewhere).toMatchObject([{ url: other.url, responseStatus: 200, deliveryId: before?.id }])
  expect([status, data]).toEqual([200, { ...before, sentElsewhere: data.sentElsewhere }])
  const [listing] = (await stub.request('GET', '/stub/listings')).data
  expect(listing.observedQuantity).toBe(null)
  expect((await resend({ webhookUrl: null })).status).toBe(400)
  expect((await stub.request('POST', '/stub/webhooks/99/resend', { webhookUrl: other.url })).status).toBe(404)
  await stub.advance(15)
  expect([own.received.length, other.received.length]).toEqual([2, 1])
})

test('a stub that ends does not wait for a receiver of a test event that hangs', async () => {
  await using receiver = await startReceiver(() => undefined)
  const stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const answer = stub.request('POST', `/stub/game-servers/${server.id}/test-events`, { event: 'transfer_order' })
  await receiver.count(1)
  await stub.close()
  expect((await answer).data.failure).toBe('the stub was ended')
})

test('a reset breaks off what is sent once, says so, and none of it is recorded', async () => {
  await using receiver = await startReceiver(() => undefined)
  await using stub = await startStub()
  const server = await stub.gameServer()
  const paid = await server.paidTransaction()
  const [delivery] = await stub.deliveries(paid)
  const { url: webhookUrl } = receiver
  const sent = [
    stub.request('POST', `/stub/game-servers/${server.id}/test-events`, { event: 'transfer_order', webhookUrl }),
    stub.request('POST', `/stub/webhooks/${delivery?.id}/resend`, { webhookUrl }),
  ]
  await receiver.count(2)
  expect((await stub.request('POST', '/stub/reset')).status).toBe(200)
  for (const { status, message } of await Promise.all(sent)) {
    expect([status, message]).toEqual([409, expect.stringContaining('reset')])
  }
  expect((await stub.request('GET', `/stub/game-servers/${server.id}/test-events`)).data).toEqual([])
  receiver.reply(answering(200))
  const again = { event: 'transfer_order', webhookUrl }
  const { data } = await stub.request('POST', `/stub/game-servers/${server.id}/test-events`, again)
  expect(data.responseStatus).toBe(200)
})
