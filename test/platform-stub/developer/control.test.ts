import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { keepSecret } from '../../outputs/outputs.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

function statusWith(url: string, headers: Record<string, string>, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers })
    request.on('response', (response) => resolve(response.resume().statusCode))
    request.on('error', reject)
    request.end()
  })
}

test('control routes answer under loopback names and to their own origin, and to no other', async () => {
  await using stub = await startStub()
  const { port } = new URL(stub.url)
  const status = (headers: Record<string, string>) => statusWith(`${stub.url}/stub/clock`, headers)
  expect(await status({ Host: `localhost:${port}` })).toBe(200)
  expect(await status({ Host: `[::1]:${port}` })).toBe(200)
  expect(await status({ Origin: stub.url, 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  expect(await status({ Host: `evil.example:${port}` })).toBe(403)
  expect(await status({ Host: `127.0.0.1.evil.example:${port}` })).toBe(403)
  expect(await status({ Origin: 'https://evil.example' })).toBe(403)
  expect(await status({ Origin: 'null' })).toBe(403)
  expect(await status({ Origin: `http://localhost:${port}` })).toBe(403)
  expect(await status({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await statusWith(`${stub.url}/stub/reset`, { Origin: 'https://evil.example' }, 'POST')).toBe(403)
})

test('lists are newest first and no longer than asked', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  for (let n = 0; n < 3; n++) await server.purchase({ itemRef: `item-${n}` })
  const ids = async (query: string) =>
    (await stub.request('GET', `/stub/transactions${query}`)).data.map(
      (story: { transactionId: number }) => story.transactionId,
    )
  expect(await ids('')).toEqual([3, 2, 1])
  expect(await ids('?limit=2')).toEqual([3, 2])
  for (const limit of ['0', 'x', '1001']) {
    expect((await stub.request('GET', `/stub/transactions?limit=${limit}`)).status).toBe(400)
  }
  const paths = (await stub.request('GET', '/stub/requests?limit=2')).data.map(({ path }: { path: string }) => path)
  expect(paths).toEqual(['/v1/api/transactions', '/v1/api/market/listings'])
})

test('what does not exist is a 404, in Portuguese, and an invalid body a 400 that names the field', async () => {
  await using stub = await startStub()
  const answers = [
    await stub.request('GET', '/stub/transactions/9'),
    await stub.request('POST', '/stub/transactions/9/pay'),
    await stub.request('PUT', '/stub/game-servers/9', { webhookUrl: 'http://127.0.0.1/' }),
    await stub.request('GET', '/stub/nothing'),
    await stub.request('POST', '/stub/game-servers', {}),
    await stub.request('POST', '/stub/game-servers', { name: 'x', webhookUrl: 'ftp://x' }),
    await stub.request('POST', '/stub/game-servers', { name: 'x', publicKeyPem: 'x' }),
    await stub.request('POST', '/stub/game-servers', '{'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 400, 400, 400, 400])
  expect(answers.map(({ message }) => message)).toEqual(Array(8).fill(expect.stringMatching(/^[A-Z].*\.$/)))
  expect(answers[4]?.message).toContain('"name"')
})

test('a route that is there is not there for every method and says for which', async () => {
  await using stub = await startStub()
  const ask = async (method: string, path: string) => {
    const { status, headers, message } = await stub.request(method, path)
    return [status, headers.get('allow'), message]
  }
  expect(await ask('POST', '/stub/clock')).toEqual([
    405,
    'GET, PUT, DELETE',
    'Método não permitido nesta rota: use GET, PUT, DELETE.',
  ])
  expect((await ask('DELETE', '/stub/game-servers/7/characters/c')).slice(0, 2)).toEqual([405, 'PUT'])
  expect((await ask('GET', '/stub/reset')).slice(0, 2)).toEqual([405, 'POST'])
  expect((await ask('PUT', '/console')).slice(0, 2)).toEqual([405, 'GET'])
  expect((await ask('GET', '/stub/clocks')).slice(0, 2)).toEqual([404, null])
})

test('the bare address opens the console', async () => {
  await using stub = await startStub()
  const { status, headers } = await stub.request('GET', '/')
  expect([status, headers.get('location')]).toEqual([302, '/console'])
})

test('a webhook address and a jump of the clock are refused in words that are true', async () => {
  await using stub = await startStub()
  const { id } = await stub.gameServer()
  const address = 'O campo "webhookUrl" deve ser um endereço http ou https completo, ou null.'
  expect((await stub.request('PUT', `/stub/game-servers/${id}`, { webhookUrl: 5 })).message).toBe(address)
  expect((await stub.request('PUT', `/stub/game-servers/${id}`, { webhookUrl: null })).status).toBe(200)
  expect((await stub.request('POST', '/stub/game-servers', { name: 'x', webhookUrl: 5 })).message).toBe(address)
  const registered = await stub.request('POST', '/stub/game-servers', { name: 'x', webhookUrl: null })
  keepSecret(registered.data.apiKey)
  expect(registered.status).toBe(200)
  const jump = 'Envie "now" (ISO-8601, UTC) ou "advanceSeconds" (número de segundos), e só um deles.'
  expect((await stub.request('PUT', '/stub/clock', { advanceSeconds: '5' })).message).toBe(jump)
  expect((await stub.request('PUT', '/stub/clock', { now: 5 })).message).toBe(jump)
  expect((await stub.request('PUT', '/stub/clock', { advanceSeconds: 0.5 })).status).toBe(200)
})

test('the key pair that the stub makes for a game server works, and so does the one that it brings', async () => {
  await using stub = await startStub()
  const { data } = await stub.request('POST', '/stub/game-servers', { name: 'Aurora' })
  expect(data.privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  expect(data.platformPublicKeyPem).toMatch(/^-----BEGIN PUBLIC KEY-----/)
  const own = await stub.gameServer()
  expect((await own.call('market.eligibility', { characterRef: 'c' })).status).toBe(200)
})

test('a linked character has an account; taking away only the account is refused', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const put = (state: object) => stub.request('PUT', `/stub/game-servers/${server.id}/characters/c`, state)
  expect((await put({ linked: true })).data).toMatchObject({ account: true, linked: true })
  expect((await put({ account: false })).status).toBe(400)
  expect((await put({ account: false, linked: true })).status).toBe(400)
  expect((await put({ account: false, linked: false })).data).toMatchObject({ account: false, linked: false })
})

test('a move that the buyer or the staff cannot make is a 409 and changes nothing', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  const act = (name: string) => stub.request('POST', `/stub/transactions/${transactionId}/${name}`)
  const before = await stub.transaction(transactionId)
  expect([(await act('dispute')).status, (await act('refund')).status]).toEqual([409, 409])
  expect(await stub.transaction(transactionId)).toEqual(before)
  expect((await act('cancel')).data.phase).toBe('cancelled')
  expect([(await act('pay')).status, (await act('expire')).status]).toEqual([409, 409])
  expect((await act('steal')).status).toBe(404)
})

test('reset empties all but game servers and their keys; ids are not given twice', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  await stub.advance(3_600)
  await server.paidTransaction()
  await receiver.count(1)
  expect((await stub.request('POST', '/stub/reset')).status).toBe(200)
  for (const list of ['transactions', 'listings', 'webhooks', 'requests']) {
    expect((await stub.request('GET', `/stub/${list}`)).data).toEqual([])
  }
  expect((await stub.request('GET', '/stub/clock')).data.travelling).toBe(false)
  expect(await server.paidTransaction()).toBe(2)
  await receiver.event('transfer_order', 2)
})

test('bytes that are not a request are answered in the error form, dated by the stub', async () => {
  await using stub = await startStub()
  await stub.request('PUT', '/stub/clock', { now: '2031-05-06T07:08:09Z' })
  const text = await new Promise<string>((resolve) => {
    let answer = ''
    const socket = connect(Number(new URL(stub.url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
  })
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nDate: Tue, 06 May 2031/)
  expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({ message: expect.stringMatching(/^A requisição/) })
})
