import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { end, order } from '../fixtures/events.ts'
import { startTestBridge } from '../fixtures/test-bridge.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

test('the platform gets a 2xx with the observation after the game server took the order, and not before', async () => {
  await using bridge = await startTestBridge()
  let isAnswered = false
  const answer = bridge.webhook(order).finally(() => {
    isAnswered = true
  })
  await until(async () => (await bridge.orders()).open.length === 1)
  expect(isAnswered).toBe(false)
  expect(await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 3 })).toMatchObject({ ok: true })
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 3 } })
  expect((await bridge.orders()).open).toMatchObject([{ transactionId: 17, state: 'taken', quantity: 2, offers: 0 }])
})

test('an order that is not taken is answered 503 after 9 s and stays open; once it is taken, the next attempt is answered at once', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  bridge.clock.advance(9_001)
  expect(await answer).toMatchObject({ status: 503 })
  expect((await bridge.orders()).open).toMatchObject([{ state: 'offered' }])
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 3 })
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 3 } })
})

test('a stored reply carries the newest observation of its item', async () => {
  await using bridge = await startTestBridge()
  const first = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  bridge.clock.advance(9_001)
  await first
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 3 })
  await bridge.agent.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 })
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 1 } })
})

test('an order that the platform sends again after our 2xx is offered again', async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 4 } })
  await until(async () => bridge.agent.logLines().some(({ msg }) => msg === 'order acknowledged to the platform'))
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 4 } })
  expect(receiver.received).toHaveLength(2)
})

test('the end of a transaction is acknowledged as soon as it is recorded, withdraws its order, and later orders of it are not offered', async () => {
  const { promise: ended, resolve: endArrived } = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (webhook, response) => {
    // Until then, so that the order is not offered a second time on a slow machine.
    await ended
    answering(500)(webhook, response)
  })
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const answer = bridge.webhook(order)
  await receiver.event('transfer_order')
  expect(await bridge.webhook(end)).toEqual({ status: 200, body: {} })
  endArrived()
  expect(await answer).toEqual({ status: 200, body: {} })
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: {} })
  const told = await receiver.event('transaction_terminal')
  expect(told.event).toEqual({ ...end, outcome: 'ESTORNADA', reported: null })
  expect(await bridge.orders()).toMatchObject({ open: [], closed: [{ transactionId: 17, outcome: 'ESTORNADA' }] })
  expect(receiver.received.filter(({ event }) => event.event === 'transfer_order')).toHaveLength(1)
})

test('an order with a later payment is another order, even after an end', async () => {
  await using bridge = await startTestBridge()
  await bridge.webhook(end)
  bridge.platform.shown.clear()
  const later = bridge.webhook({ ...order, paidAt: '2026-11-21T12:00:00Z' })
  await until(async () => (await bridge.orders()).open.length === 1)
  await bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 0 })
  expect(await later).toEqual({ status: 200, body: { observedQuantity: 0 } })
})

test('a webhook whose signature is not valid changes nothing', async () => {
  await using bridge = await startTestBridge()
  expect((await bridge.webhook(order, { signedText: '{}' })).status).toBe(401)
  expect((await bridge.webhook(order, { headers: { 'x-platform-signature': 'a..b' } })).status).toBe(401)
  expect((await bridge.webhook('{"event":"transfer_order"}')).status).toBe(400)
  expect((await bridge.webhook('not JSON')).status).toBe(400)
  expect(await bridge.orders()).toEqual({ open: [], closed: [] })
})

test('a webhook that looks too old is judged again by the platform clock, before a paid order is refused', async () => {
  await using bridge = await startTestBridge({ wallOffsetMs: 3_600_000 })
  const answer = bridge.webhook(end)
  expect((await answer).status).toBe(200)
  expect(bridge.platform.questionsForDate).toBe(1)
  expect((await bridge.webhook(end, { expS: Math.floor(Date.now() / 1000) - 120 })).status).toBe(401)
})

test('only the webhook path is served, and strangers get no further than the head', async () => {
  await using bridge = await startTestBridge()
  const url = bridge.agent.webhookUrl ?? ''
  const { origin } = new URL(url)
  for (const path of ['/', '/health', '/call', '/operations', '/webhook/', '/webhook?x=1']) {
    expect((await sendWebhook(`${origin}${path}`, order)).status, path).toBe(404)
  }
  const other = await fetch(url)
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST'])
  expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(401)
  expect((await bridge.webhook({ ...order, more: 'x'.repeat(65_536) })).status).toBe(413)
})

test('what is not HTTP is answered in JSON', async () => {
  await using bridge = await startTestBridge()
  const { hostname, port } = new URL(bridge.agent.webhookUrl ?? '')
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.write('nonsense\r\n\r\n')
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"message":"[^"]+"\}$/)
})

test('an agent that cannot have the port for webhooks has sent nothing', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const webhook = {
    host: '127.0.0.1',
    port,
    path: '/webhook',
    forwardUrl: undefined,
    forwardToken: undefined,
    ordersBy: 'asking' as const,
  }
  await expect(startTestBridge({ config: { webhook } })).rejects.toMatchObject({ code: 'EADDRINUSE', port })
  other.close()
})

test('a stop answers waiting webhooks 503, and the order is offered after the restart', async () => {
  await using bridge = await startTestBridge()
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  // A restart pushes the clock, and the answer must have left before the time for a stop is over.
  const stopped = bridge.agent.close()
  expect((await answer).status).toBe(503)
  await stopped
  await bridge.restart()
  expect((await bridge.orders()).open).toMatchObject([{ transactionId: 17, state: 'offered' }])
})
