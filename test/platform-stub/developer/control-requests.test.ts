import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { startStub, type TestStub } from '../fixtures/stub.ts'

/** Every control route that takes a body, with a body that it takes. */
async function routesWithBodies(stub: TestStub): Promise<[method: string, path: string, body: object][]> {
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await stub.pay(transactionId)
  const [delivery] = await stub.deliveries(transactionId)
  const played = await stub.gameServer({ keyFrom: 'stub' })
  const [delivered, failed] = [await played.paidTransaction(), await played.paidTransaction()]
  return [
    ['POST', '/stub/game-servers', { name: 'Aurora' }],
    ['PUT', `/stub/game-servers/${server.id}`, { webhookUrl: null }],
    ['PUT', `/stub/game-servers/${server.id}/characters/c`, { linked: true }],
    ['PUT', '/stub/agent', { url: 'http://127.0.0.1:8899' }],
    ['PUT', '/stub/clock', { advanceSeconds: 1 }],
    ['DELETE', '/stub/clock', {}],
    ['POST', '/stub/faults', { kind: 'delay', delayMs: 1 }],
    ['DELETE', '/stub/faults', {}],
    ['POST', '/stub/webhook-faults', { kind: 'duplicate' }],
    ['DELETE', '/stub/webhook-faults', {}],
    ['POST', `/stub/transactions/${delivered}/deliver`, {}],
    ['POST', `/stub/transactions/${failed}/fail`, { reason: 'TEMPORARY', observedQuantity: 4 }],
    ['POST', '/stub/listings/1/buy', { quantity: 1, buyerCharacterRef: 'buyer' }],
    ['POST', `/stub/transactions/${transactionId}/dispute`, {}],
    ['POST', `/stub/webhooks/${delivery?.id}/resend`, {}],
    [
      'POST',
      `/stub/game-servers/${server.id}/test-events`,
      { event: 'transfer_order', webhookUrl: 'http://127.0.0.1:1/webhook' },
    ],
    ['POST', '/stub/reset', {}],
  ]
}

test('a control route refuses a field that it does not know, and names it', async () => {
  await using stub = await startStub()
  for (const [method, path, body] of await routesWithBodies(stub)) {
    const { status, message } = await stub.request(method, path, { ...body, recipientAproved: true })
    expect([path, status, message]).toEqual([path, 400, expect.stringContaining('"recipientAproved"')])
  }
  expect((await stub.request('GET', '/stub/transactions')).data).toHaveLength(3)
})

test('a control route refuses a parameter that it does not know, and names it', async () => {
  await using stub = await startStub()
  const withBodies = (await routesWithBodies(stub)).map(([method, path]) => [method, path] as const)
  const lists = ['game-servers', 'game-servers/1/test-events', 'transactions', 'listings', 'webhooks', 'requests']
  const reads = [...lists, 'faults', 'webhook-faults', 'clock', 'platform-key', 'transactions/1']
  for (const [method, path] of [...withBodies, ...reads.map((read) => ['GET', `/stub/${read}`] as const)]) {
    const { status, message } = await stub.request(method, `${path}?limti=1`)
    expect([path, status, message]).toEqual([path, 400, expect.stringContaining('"limti"')])
  }
  expect((await stub.request('GET', '/stub/transactions?limit=1&limit=2')).status).toBe(400)
  expect((await stub.request('GET', '/stub/webhooks?transactionId=1&limit=2')).status).toBe(200)
})

test('a control route accepts only application/json', async () => {
  await using stub = await startStub()
  const routes = await routesWithBodies(stub)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    for (const [method, path, body] of routes) {
      const { status } = await stub.request(method, path, body, { 'Content-Type': type })
      expect([path, status]).toEqual([path, 415])
    }
  }
  for (const [method, path, body] of routes) expect((await stub.request(method, path, body)).status).toBe(200)
})

test('a control route reads at most 64 KiB', async () => {
  await using stub = await startStub()
  const named = (length: number) => JSON.stringify({ name: 'x'.repeat(length) })
  const excess = Buffer.byteLength(named(0))
  expect((await stub.request('POST', '/stub/game-servers', named(65_537 - excess))).status).toBe(413)
  expect((await stub.request('POST', '/stub/game-servers', named(65_536 - excess))).status).not.toBe(413)
})

test.each([
  ['announced', { 'Content-Length': String(300_000_000) }],
  ['not announced', { 'Transfer-Encoding': 'chunked' }],
])('a control body of 300 MB is refused long before its end, %s', async (_, length) => {
  await using stub = await startStub()
  let written = 0
  const status = await new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', ...length }
    const request = httpRequest(`${stub.url}/stub/clock`, { method: 'PUT', headers })
    const pour = (): void => {
      do written += 65_536
      while (request.write(Buffer.alloc(65_536, 0x20)) && written < 300_000_000)
    }
    request.on('drain', pour)
    request.on('error', reject)
    request.on('response', (response) => {
      request.off('error', reject).on('error', () => undefined)
      resolve(response.statusCode)
      request.destroy()
    })
    pour()
  })
  expect(status).toBe(413)
  expect(written).toBeLessThan(30_000_000)
})

const bytesPoured = 50_000_000

test.each(['/stub/clock', '/v1/api/market/listings', '/checkout/none/pay'])(
  'a sender that continues after the refusal of %s is cut off',
  async (path) => {
    await using stub = await startStub()
    const { hostname, port } = new URL(stub.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined).resume()
    const method = path.startsWith('/checkout') ? 'POST' : 'PUT'
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`)
    socket.write('transfer-encoding: chunked\r\n\r\n')
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 0x20), Buffer.from('\r\n')])
    const pour = (): void => {
      while (!socket.destroyed && socket.bytesWritten < bytesPoured && socket.write(chunk));
    }
    socket.on('drain', pour)
    pour()
    await new Promise((resolve) => socket.on('close', resolve))
    expect(socket.bytesWritten).toBeLessThan(bytesPoured)
  },
)

test('two clock jumps that wait for one another cannot pass the year 9999 together', async () => {
  await using receiver = await startReceiver(() => undefined)
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await server.paidTransaction()
  await receiver.count(1)
  // The first jump waits for the attempt that is under way, and the second for the first.
  receiver.reply(answering(200))
  const halfway = { advanceSeconds: 5_000 * 365.25 * 86_400 }
  const jumps = await Promise.all([1, 2].map(() => stub.request('PUT', '/stub/clock', halfway)))
  expect(jumps.map(({ status }) => status)).toEqual([200, 400])
  expect(new Date(await stub.now()).getUTCFullYear()).toBeLessThan(9_999)
})

test('the list of game servers has what each agent needs, newest first', async () => {
  await using stub = await startStub()
  const first = await stub.gameServer({ name: 'Aurora' })
  const second = await stub.gameServer({ name: 'Boreal', webhookUrl: 'http://127.0.0.1:9/' })
  const { data } = await stub.request('GET', '/stub/game-servers')
  expect(data).toEqual(
    [second, first].map(({ id, apiKey, kid, platformKid, platformPublicKeyPem }) => ({
      gameServerId: id,
      name: id === first.id ? 'Aurora' : 'Boreal',
      webhookUrl: id === first.id ? null : 'http://127.0.0.1:9/',
      baseUrl: stub.url,
      apiKey,
      kid,
      privateKeyPem: null,
      platformKeyKid: platformKid,
      platformPublicKeyPem,
    })),
  )
  expect((await stub.request('GET', '/stub/game-servers?limit=1')).data).toHaveLength(1)
})

test("another game server's call is not part of a transaction's history", async () => {
  await using stub = await startStub()
  const [owner, stranger] = [await stub.gameServer(), await stub.gameServer()]
  const transactionId = await owner.paidTransaction()
  expect((await stranger.call('transaction.delivery', { transactionId })).status).toBe(404)
  const history = async () => (await stub.request('GET', `/console/transactions/${transactionId}`)).text
  expect(await history()).not.toContain('Transação não encontrada')
  const early = { transactionId, reason: 'OUT_OF_STOCK' }
  expect((await owner.call('transaction.delivery-failure', early)).status).toBe(400)
  expect(await history()).toContain('/delivery-failure')
})
