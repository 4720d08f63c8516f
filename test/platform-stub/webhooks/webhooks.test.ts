import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { type StubControl, startStub } from '../fixtures/stub.ts'

async function deliveryOf(stub: StubControl, transactionId: number, event: string) {
  const deliveries = (await stub.deliveries(transactionId)).filter((delivery) => delivery.event === event)
  const [newest] = deliveries
  if (!newest) throw new Error(`no ${event}`)
  return newest
}

test('a webhook is signed by the platform key over the bytes that arrive, for five minutes', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await server.paidTransaction()
  const { headers, body } = await receiver.event('transfer_order')
  expect(headers['content-type']).toBe('application/json')

  const [protectedSegment = '', middle, signature = ''] = String(headers['x-platform-signature']).split('.')
  expect(middle).toBe('')
  const header = JSON.parse(Buffer.from(protectedSegment, 'base64url').toString())
  expect(header).toMatchObject({ alg: 'RS256', kid: server.platformKid, jti: expect.any(String) })
  expect(header.exp - header.iat).toBe(300)
  expect(Math.abs(header.iat - Date.now() / 1_000)).toBeLessThan(5)
  const signed = Buffer.from(`${protectedSegment}.${body.toString('base64url')}`)
  const key = createPublicKey(server.platformPublicKeyPem)
  expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true)
  signed[signed.length - 2] = (signed.at(-2) ?? 0) ^ 1
  expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(false)
})

test('a receiver that stays down is tried after 15, 30, 60 s … then hourly, signed again each time', async () => {
  await using receiver = await startReceiver(answering(503))
  await using stub = await startStub({ seed: 'jtis differ all the same' })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(4 * 3_600)
  const { attempts, state } = await deliveryOf(stub, transactionId, 'transfer_order')
  const at = attempts.map((attempt) => Date.parse(attempt.at))
  const waitsS = at.slice(1).map((time, n) => Math.round((time - (at[n] ?? 0)) / 1_000))
  expect(waitsS.slice(0, 10)).toEqual([15, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
  expect(state).toBe('pending')
  expect(attempts.map(({ responseStatus }) => responseStatus)).toEqual(Array(attempts.length).fill(503))

  expect(new Set(attempts.map(({ protectedHeader }) => protectedHeader['jti'])).size).toBe(attempts.length)
  for (const attempt of attempts) {
    expect(attempt.protectedHeader['iat']).toBe(Math.floor(Date.parse(attempt.at) / 1_000))
  }
  expect(receiver.received.map(({ body }) => body.toString())).toEqual(
    Array(attempts.length).fill(receiver.received[0]?.body.toString()),
  )
})

test('any 2xx ends a delivery; nothing else does, a redirect included, which is not followed', async () => {
  await using elsewhere = await startReceiver()
  await using receiver = await startReceiver((_, response) =>
    response.writeHead(307, { Location: elsewhere.url }).end(),
  )
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  receiver.reply(answering(404))
  await stub.advance(15)
  receiver.reply((_, response) => response.destroy())
  await stub.advance(30)
  receiver.reply(answering(204))
  await stub.advance(60)
  await stub.advance(3_600)
  const { attempts, state } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect(attempts.map(({ responseStatus }) => responseStatus)).toEqual([307, 404, null, 204])
  expect(attempts[2]?.failure).toEqual(expect.any(String))
  expect(state).toBe('acknowledged')
  expect(elsewhere.received).toHaveLength(0)
})

test('a terminal transaction ends its transfer_order and no other delivery', async () => {
  await using receiver = await startReceiver(answering(500))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const ending = await server.paidTransaction()
  const going = await server.paidTransaction()
  await receiver.count(2)
  await server.call('transaction.delivery', { transactionId: ending })
  await stub.advance(600)
  expect((await deliveryOf(stub, ending, 'transfer_order')).state).toBe('ended')
  expect((await deliveryOf(stub, ending, 'transfer_order')).attempts.length).toBe(1)
  expect((await deliveryOf(stub, going, 'transfer_order')).attempts.length).toBeGreaterThan(4)
  const terminal = await deliveryOf(stub, ending, 'transaction_terminal')
  expect([terminal.state, terminal.attempts.length > 4]).toEqual(['pending', true])
  receiver.reply(answering(200))
  await stub.advance(3_600)
  expect((await deliveryOf(stub, ending, 'transaction_terminal')).state).toBe('acknowledged')
})

test.each([
  ['bare', { observedQuantity: 3 }, 3],
  ['under data', { data: { observedQuantity: 2 } }, 2],
  ['of another shape', { stock: 1 }, null],
  ['no JSON at all', undefined, null],
])('a 2xx to transfer_order whose body is %s ends it and tells what can be told', async (_, body, observed) => {
  await using receiver = await startReceiver(answering(200, body))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(0)
  expect((await deliveryOf(stub, transactionId, 'transfer_order')).state).toBe('acknowledged')
  expect((await stub.request('GET', '/stub/listings')).data[0].observedQuantity).toBe(observed)
})

test('a report that is made before the reply to the order is the newer knowledge; a later reply counts again', async () => {
  let answer = (): void => undefined
  await using receiver = await startReceiver((_, response) => {
    answer = () => response.writeHead(200).end('{"observedQuantity":4}')
  })
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const observed = async () => (await stub.request('GET', '/stub/listings')).data[0].observedQuantity
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await server.call('transaction.delivery-failure', { transactionId, reason: 'TEMPORARY', observedQuantity: 2 })
  answer()
  await stub.advance(0)
  expect(await observed()).toBe(2)
  receiver.reply(answering(200, { observedQuantity: 3 }))
  await stub.advance(15)
  expect(await observed()).toBe(3)
})

test('deliveries wait while a game server has no webhookUrl, and go out when it has one', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  await stub.advance(86_400)
  expect((await deliveryOf(stub, transactionId, 'transfer_order')).attempts).toEqual([])
  await stub.request('PUT', `/stub/game-servers/${server.id}`, { webhookUrl: receiver.url })
  const { event } = await receiver.event('transfer_order')
  expect(event.transactionId).toBe(transactionId)
})

test('a receiver that never answers delays no other, however much is due to it', async () => {
  await using silent = await startReceiver(() => undefined)
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const slow = await stub.gameServer({ webhookUrl: silent.url })
  const quick = await stub.gameServer({ webhookUrl: receiver.url })
  await slow.listing({ quantityListed: 100 })
  for (let n = 0; n < 20; n++) await slow.paidTransaction()
  const transactionId = await quick.paidTransaction()
  await receiver.event('transfer_order', transactionId)
  expect(silent.received.length).toBeLessThanOrEqual(16)
  silent.reply(answering(200))
  await silent[Symbol.asyncDispose]()
})

test('an attempt that a jump triggers waits two seconds for its receiver', async () => {
  await using receiver = await startReceiver(answering(500))
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  receiver.reply(() => undefined)
  await stub.advance(15)
  const { attempts } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect(attempts[1]).toMatchObject({ failure: 'no complete answer within 2000 ms', responseStatus: null })
})

test('of a long answer only the beginning is read, and its status counts', async () => {
  await using receiver = await startReceiver((_, response) => {
    response.writeHead(200)
    const pour = (): void => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', pour)
    }
    pour()
  })
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await stub.advance(0)
  const { state, attempts } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect([state, attempts[0]?.responseBody?.length]).toEqual(['acknowledged', 2_048])
})

test('a delivery can be sent again by hand, and an order of a finished transaction is tried just once more', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await server.call('transaction.delivery', { transactionId })
  await receiver.event('transaction_terminal')
  await stub.advance(0)
  const { id } = await deliveryOf(stub, transactionId, 'transfer_order')
  receiver.reply(answering(500))
  await stub.request('POST', `/stub/webhooks/${id}/resend`)
  await stub.advance(3_600)
  const { state, attempts } = await deliveryOf(stub, transactionId, 'transfer_order')
  expect(attempts.map(({ responseStatus }) => responseStatus)).toEqual([200, 500])
  expect(state).toBe('ended')
  expect((await stub.request('POST', '/stub/webhooks/999/resend')).status).toBe(404)
})

test.each([
  ['is written in capitals', (url: string) => url.replace('http', 'HTTP'), 'acknowledged', null],
  ['nobody can be asked by', () => 'http://a%zz@127.0.0.1/', 'pending', 'URI malformed'],
  ['has the scheme of TLS in capitals', () => 'HTTPS://127.0.0.1:9/', 'pending', 'connect ECONNREFUSED 127.0.0.1:9'],
])(
  'a delivery to an address that %s is attempted once, and its outcome written',
  async (_, addressOf, state, failure) => {
    await using receiver = await startReceiver()
    await using stub = await startStub()
    const server = await stub.gameServer({ webhookUrl: addressOf(receiver.url) })
    const transactionId = await server.paidTransaction()
    await stub.advance(0)
    const delivery = await deliveryOf(stub, transactionId, 'transfer_order')
    expect(delivery).toMatchObject({ state, attempts: [{ number: 1, failure }] })
    expect((await stub.request('POST', '/stub/reset')).status).toBe(200)
  },
)
