import { get, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import type { PlatformOperationName } from '../../../contract/operations.ts'
import { machineTime } from '../../../platform-stub/clock/machine-time.ts'
import { manualTime } from '../fixtures/manual-time.ts'
import { offer, type StubControl, send, startStub } from '../fixtures/stub.ts'
import { watchedTime } from '../fixtures/watched-time.ts'

const set = (stub: StubControl, fault: object) => stub.request('POST', '/stub/faults', fault)
const listed = async (stub: StubControl) => (await stub.request('GET', '/stub/faults')).data

/** A stub with one listing, and how it answers: a status, or 'dropped' where no whole answer came. */
async function stubWithListing(time = machineTime) {
  const stub = await startStub({ time })
  const server = await stub.gameServer()
  await server.listing()
  const ask = async (name: PlatformOperationName, input: Record<string, unknown>) => {
    try {
      return (await server.call(name, input)).status
    } catch {
      return 'dropped'
    }
  }
  const look = () => ask('market.eligibility', { characterRef: 'seller' })
  const observe = (observedQuantity: number) => ask('market.adjust-stock', { itemRef: 'sword-1', observedQuantity })
  const observed = async () => (await stub.request('GET', '/stub/listings')).data[0].observedQuantity
  const journal = async () => (await stub.request('GET', '/stub/requests?limit=1')).data[0]
  return { stub, server, look, observe, observed, journal, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() }
}

test('a status is answered as often as asked, with Retry-After, and nothing acts; then all is sound again', async () => {
  await using world = await stubWithListing()
  const { stub, server } = world
  const { data } = await set(stub, { kind: 'status', status: 429, retryAfterSeconds: 7, times: 2 })
  expect(data).toEqual({ id: 1, kind: 'status', status: 429, retryAfterSeconds: 7, times: 2 })
  const sealed = await server.sealed('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 2 })
  const first = await send(sealed)
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7'])
  expect(first.message).toBe('A plataforma não pôde atender esta requisição (falha simulada, status 429).')
  expect(await world.journal()).toMatchObject({ status: 429, code: 'FAULT_INJECTED', fault: 'status' })
  expect(await listed(stub)).toMatchObject([{ times: 1 }])
  expect((await send(sealed)).status).toBe(429)
  expect(await world.observed()).toBe(null)
  expect(await listed(stub)).toEqual([])
  expect((await send(sealed)).status).toBe(200)
  expect(await world.observed()).toBe(2)
  expect((await world.journal()).fault).toBe(null)
})

test.each([200, 204, 302, 304, 500, 599])(
  'a status of %i leaves the connection fit for the next request',
  async (status) => {
    await using world = await stubWithListing()
    await set(world.stub, { kind: 'status', status })
    const { server } = world
    const answer = await send(await server.sealed('market.eligibility', { characterRef: 'c' }))
    expect(answer.status).toBe(status)
    expect(await world.look()).toBe(200)
  },
)

test.each([
  [204, undefined],
  [205, '0'],
  [304, undefined],
])('a status of %i has no body and promises none', async (status, length) => {
  await using world = await stubWithListing()
  await set(world.stub, { kind: 'status', status })
  const headers = await headersOf(world.stub)
  expect([headers['content-length'], headers['transfer-encoding'], headers['content-type']]).toEqual([
    length,
    undefined,
    undefined,
  ])
})

/** An answer as it is on the wire; a fetch shows no length of an answer without a body. */
function headersOf({ url }: StubControl): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    get(`${url}/v1/api/market/eligibility/c`, (response) => resolve(response.resume().headers)).on('error', reject)
  })
}

test('hang-up-before drops the connection and nothing acts; the same envelope is still new', async () => {
  await using world = await stubWithListing()
  await set(world.stub, { kind: 'hang-up-before' })
  const sealed = await world.server.sealed('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 2 })
  await expect(send(sealed)).rejects.toThrow()
  expect(await world.observed()).toBe(null)
  expect(await world.journal()).toMatchObject({ status: null, fault: 'hang-up-before', code: null })
  expect((await send(sealed)).status).toBe(200)
})

test('hang-up-after acts and drops the connection; the same envelope is a replay', async () => {
  await using world = await stubWithListing()
  await set(world.stub, { kind: 'hang-up-after' })
  const sealed = await world.server.sealed('market.register', { ...offer, itemRef: 'b', sellerCharacterRef: 'seller' })
  await expect(send(sealed)).rejects.toThrow()
  expect(await world.journal()).toMatchObject({ status: 200, fault: 'hang-up-after' })
  expect((await world.stub.request('GET', '/stub/listings')).data[0].itemRef).toBe('b')
  expect((await send(sealed)).status).toBe(401)
})

test.each([
  ['with a body', 'market.eligibility', { characterRef: 'seller' }, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n\{"data":/],
  ['without one', 'market.withdraw', { itemRef: 'sword-1' }, /^HTTP\/1\.1 200 OK\r\nContent-$/],
] as const)('truncate acts and cuts an answer %s in its middle', async (_, name, input, beginning) => {
  await using world = await stubWithListing()
  await set(world.stub, { kind: 'truncate' })
  const sealed = await world.server.sealed(name, input)
  const text = await rawAnswer(sealed)
  expect(text).toMatch(beginning)
  const declared = Number(/Content-Length: (\d+)/.exec(text)?.[1] ?? 1)
  expect(Buffer.byteLength(text.split('\r\n\r\n')[1] ?? '')).toBeLessThan(declared)
  expect((await send(sealed)).status).toBe(401)
})

test('truncate cuts an answer that has to wait for an earlier one on its connection', async () => {
  await using world = await stubWithListing()
  await set(world.stub, { kind: 'delay', delayMs: 50 })
  await set(world.stub, { kind: 'truncate' })
  const first = await world.server.sealed('market.eligibility', { characterRef: 'seller' })
  const second = await world.server.sealed('market.eligibility', { characterRef: 'seller' })
  const [whole = '', cut = ''] = (await rawAnswer(first, second)).split(/(?<=\})(?=HTTP)/)
  expect(whole).toMatch(/\r\n\r\n\{"data":.*\}$/)
  expect(cut).toMatch(/\r\n\r\n\{"data":[^}]*$/)
})

/** Everything that comes back until the connection ends. @param requests One after the other, none waits for an answer. */
function rawAnswer(...requests: Parameters<typeof send>[0][]) {
  const port = Number(new URL(requests[0]?.url ?? '').port)
  return new Promise<string>((resolve) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(requests.map(rawRequest).join('')))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
  })
}

function rawRequest({ url, method, headers, body }: Parameters<typeof send>[0]): string {
  const { pathname, host } = new URL(url)
  const lines = Object.entries({ Host: host, 'Content-Length': String(Buffer.byteLength(body)), ...headers })
  return [`${method} ${pathname} HTTP/1.1`, ...lines.map(([key, value]) => `${key}: ${value}`), '', body].join('\r\n')
}

test('a delay is real waiting, after which the request is looked at as if it had just arrived', async () => {
  const { time, pass } = manualTime()
  const watched = watchedTime(time)
  await using world = await stubWithListing(watched.time)
  await set(world.stub, { kind: 'delay', delayMs: 300, operation: 'market.adjust-stock' })
  const delayed = world.observe(2)
  await watched.timer(300)
  pass(299)
  expect(await world.look()).toBe(200)
  expect(await world.observed()).toBe(null)
  pass(1)
  expect(await delayed).toBe(200)

  await set(world.stub, { kind: 'delay', delayMs: 400 })
  const sealed = await world.server.sealed('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 })
  const late = send(sealed)
  await watched.timer(400)
  await world.stub.advance(120)
  pass(400)
  expect((await late).status).toBe(401)
  expect((await world.journal()).authentication.step).toBe('expiry')
})

test('a fault meets the operation that it is meant for, told apart by the body where routes are shared', async () => {
  await using world = await stubWithListing()
  await set(world.stub, { kind: 'status', status: 503, operation: 'market.withdraw' })
  expect(await world.observe(2)).toBe(200)
  expect(await world.look()).toBe(200)
  const { server } = world
  expect((await server.call('market.withdraw', { itemRef: 'sword-1' }, { body: '{' })).status).toBe(400)
  expect((await server.call('market.withdraw', { itemRef: 'sword-1' })).status).toBe(503)
  expect((await server.call('market.withdraw', { itemRef: 'sword-1' })).status).toBe(200)
})

test('faults that meet the same request happen one after the other, the one that was set first to begin with', async () => {
  await using world = await stubWithListing()
  for (const status of [501, 502]) await set(world.stub, { kind: 'status', status })
  await set(world.stub, { kind: 'hang-up-before' })
  expect((await listed(world.stub)).map(({ id }: { id: number }) => id)).toEqual([3, 2, 1])
  expect([await world.look(), await world.look(), await world.look(), await world.look()]).toEqual([
    501,
    502,
    'dropped',
    200,
  ])
})

test('an unknown route and pages meet no fault, and DELETE and reset take faults away', async () => {
  const watched = watchedTime()
  await using world = await stubWithListing(watched.time)
  const { stub, server } = world
  await set(stub, { kind: 'status', status: 503, times: 9 })
  expect((await server.call('market.withdraw', { itemRef: 'x' }, { path: '/v1/api/nothing' })).status).toBe(404)
  expect((await stub.request('GET', '/health')).status).toBe(200)
  expect(await listed(stub)).toMatchObject([{ times: 9 }])
  const deleted = await stub.request('DELETE', '/stub/faults')
  expect([deleted.status, deleted.text, await listed(stub)]).toEqual([200, '', []])
  await set(stub, { kind: 'status', status: 503 })
  await set(stub, { kind: 'delay', delayMs: 3_600_000, operation: 'market.eligibility' })
  expect(await world.observe(1)).toBe(503)
  const delayed = world.look()
  await watched.timer(3_600_000)
  await stub.request('POST', '/stub/reset')
  expect(await delayed).toBe(200)
  expect(await world.look()).toBe(200)
})

test('a stub that ends does not wait for a delay', async () => {
  const watched = watchedTime()
  const stub = await startStub({ time: watched.time })
  const server = await stub.gameServer()
  await set(stub, { kind: 'delay', delayMs: 3_600_000 })
  const delayed = server.call('market.eligibility', { characterRef: 'c' })
  await watched.timer(3_600_000)
  await stub[Symbol.asyncDispose]()
  expect((await delayed).status).toBe(200)
})

const invalid: [object, string][] = [
  [{}, 'O campo "kind" é obrigatório: envie "status" ou "delay" ou'],
  [{ kind: 'explode' }, 'O campo "kind" deve ser "status" ou "delay" ou "hang-up-before" ou'],
  [{ kind: 'status' }, 'O campo "status" é obrigatório: envie um número inteiro.'],
  [{ kind: 'status', status: 199 }, 'O campo "status" deve ser um número inteiro a partir de 200'],
  [{ kind: 'status', status: 600 }, 'O campo "status" deve ser um número inteiro até 599'],
  [{ kind: 'status', status: 503, retryAfterSeconds: -1 }, 'O campo "retryAfterSeconds" deve ser um número inteiro a'],
  [{ kind: 'delay' }, 'O campo "delayMs" é obrigatório'],
  [{ kind: 'delay', delayMs: 3_600_001 }, 'O campo "delayMs" deve ser um número inteiro até 3600000'],
  [{ kind: 'truncate', times: 0 }, 'O campo "times" deve ser um número inteiro a partir de 1'],
  [{ kind: 'truncate', times: 1.5 }, 'O campo "times" deve ser um número inteiro'],
  [{ kind: 'truncate', operation: 'market.steal' }, 'O campo "operation" deve ser "character.link" ou'],
  [{ kind: 'truncate', status: 503 }, 'O campo "status" não tem lugar aqui: retire-o.'],
]

test('a fault that cannot be is refused and names its field', async () => {
  await using stub = await startStub()
  for (const [fault, beginning] of invalid) {
    const { status, message } = await set(stub, fault)
    expect([status, message?.slice(0, beginning.length)], JSON.stringify(fault)).toEqual([400, beginning])
  }
  expect(await listed(stub)).toEqual([])
})
