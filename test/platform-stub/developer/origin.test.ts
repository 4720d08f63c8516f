import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import type { HttpRequest } from '../../../platform-stub/http/http-request.ts'
import { isForeignPage } from '../../../platform-stub/http/origin.ts'
import { keepSecret } from '../../outputs/outputs.ts'
import { type StubControl, startStub } from '../fixtures/stub.ts'

function statusOf(stub: StubControl, method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${stub.url}${path}`, { method, headers })
    request.on('response', (response) => resolve(response.resume().statusCode ?? 0))
    request.on('error', reject)
    request.end()
  })
}

function requestWith(headers: Readonly<Record<string, string>>): HttpRequest {
  const lines = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]))
  const body = () => Promise.resolve(Buffer.alloc(0))
  return { method: 'POST', path: '/', query: '', headers: lines, remoteAddress: '127.0.0.1', body }
}

const publicUrl = 'https://stub.example'

test.each([
  [{ host: 'stub.example', origin: publicUrl, 'sec-fetch-site': 'same-origin' }, false],
  [{ host: 'localhost:8787', origin: 'http://localhost:8787' }, false],
  [{ host: '127.0.0.1:8787', origin: publicUrl }, false],
  [{ host: '127.0.0.1:8787' }, false],
  [{ host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' }, true],
  [{ host: 'evil.example', origin: publicUrl }, true],
  [{ host: 'evil.example' }, true],
  [{ host: '127.0.0.1:8787', origin: 'http://evil.example' }, true],
  [{ host: '127.0.0.1:8787', origin: 'http://127.0.0.1:9999' }, true],
  [{ host: 'stub.example', origin: publicUrl, 'sec-fetch-site': 'cross-site' }, true],
  [{ origin: publicUrl }, true],
])('of another page, or by another name, is a form that comes with %j: %s', (headers, isForeign) => {
  expect(isForeignPage(requestWith(headers), publicUrl)).toBe(isForeign)
})

test('a page that had its name bent to the stub neither cancels a purchase nor confirms a link', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  const checkout = new URL((await stub.transaction(transactionId)).checkoutUrl).pathname
  const link = new URL((await server.call('character.link', { characterRef: 'c' })).data.url).pathname
  const bent = { Host: 'evil.example', Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-origin' }
  expect(await statusOf(stub, 'POST', `${checkout}/cancel`, bent)).toBe(403)
  expect(await statusOf(stub, 'POST', link, bent)).toBe(403)
  expect((await stub.transaction(transactionId)).paymentStatus).toBe('AGUARDANDO_PAGAMENTO')

  const { port } = new URL(stub.url)
  const own = { Host: `localhost:${port}`, Origin: `http://localhost:${port}`, 'Sec-Fetch-Site': 'same-origin' }
  expect(await statusOf(stub, 'POST', `${checkout}/cancel`, own)).toBe(303)
})

test('what a proxy has marked reaches no control route, no console and no key', async () => {
  await using stub = await startStub()
  const { data } = await stub.request('POST', '/stub/game-servers', { name: 'Aurora' })
  keepSecret(data.apiKey)
  const id = data.gameServerId
  const paths = [
    '/stub/clock',
    '/stub/platform-key',
    '/console/overview',
    `/console/game-servers/${id}/signing-key.pem`,
  ]
  const marks = [
    { Forwarded: 'for=203.0.113.9' },
    { 'X-Forwarded-For': '203.0.113.9' },
    { 'X-Forwarded-Proto': 'https' },
  ]
  const statuses = (mark: Record<string, string>) => Promise.all(paths.map((path) => statusOf(stub, 'GET', path, mark)))
  for (const mark of marks) expect(await statuses(mark)).toEqual(Array(paths.length).fill(403))
  expect(await statuses({})).toEqual([200, 200, 200, 200])
})
