import { createHash, randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { operations, type PlatformOperationName } from '../../../contract/operations.ts'
import { offer, send, sharedPrivateKey, startStub, type TestStub } from '../fixtures/stub.ts'

const inputs: Record<PlatformOperationName, Record<string, unknown>> = {
  'character.link': { characterRef: 'seller' },
  'market.register': { ...offer, sellerCharacterRef: 'seller' },
  'market.adjust-stock': { itemRef: 'sword-1', observedQuantity: 3 },
  'market.withdraw': { itemRef: 'sword-1' },
  'market.eligibility': { characterRef: 'seller' },
  'transaction.create': { itemRef: 'sword-1', quantity: 1, buyerCharacterRef: 'buyer' },
  'transaction.get': { transactionId: 1 },
  'transaction.delivery': { transactionId: 1 },
  'transaction.delivery-failure': { transactionId: 1, reason: 'TEMPORARY', observedQuantity: 1 },
}
const names = Object.keys(inputs) as PlatformOperationName[]
const serviceNames = names.filter((name) => operations[name].auth === 'service')
const signatureOnlyNames = names.filter((name) => operations[name].auth === 'signature-only')

async function lastRequest(stub: TestStub) {
  return (await stub.request('GET', '/stub/requests?limit=1')).data[0]
}

test.each(names)('a repeated envelope of %s is refused with 401, whatever became of the first', async (name) => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const sealed = await server.sealed(name, inputs[name])
  expect((await send(sealed)).status).not.toBe(401)
  const again = await send(sealed)
  expect([again.status, again.message]).toEqual([401, 'Esta requisição já foi processada.'])
  expect((await lastRequest(stub)).authentication.step).toBe('replay')
})

test.each(signatureOnlyNames)('--allow-offer-replay lets a repeated envelope of %s act again', async (name) => {
  await using stub = await startStub({ settings: { allowOfferReplay: true } })
  const server = await stub.gameServer()
  const sealed = await server.sealed(name, inputs[name])
  const first = await send(sealed)
  expect((await send(sealed)).status).toBe(first.status)
})

test('--allow-offer-replay leaves the service routes as strict as they are', async () => {
  await using stub = await startStub({ settings: { allowOfferReplay: true } })
  const server = await stub.gameServer()
  const sealed = await server.sealed('market.eligibility', { characterRef: 'seller' })
  expect((await send(sealed)).status).toBe(200)
  expect((await send(sealed)).status).toBe(401)
})

test('an envelope is a replay by kid and jti, not by its text, and another kid may use the jti', async () => {
  await using stub = await startStub()
  const [one, other] = [await stub.gameServer(), await stub.gameServer()]
  const jti = randomUUID()
  const input = { characterRef: 'seller' }
  expect((await one.call('market.eligibility', input, { jti })).status).toBe(200)
  expect((await one.call('character.link', input, { jti })).status).toBe(401)
  expect((await other.call('market.eligibility', input, { jti })).status).toBe(200)
})

test('of many equal envelopes at once exactly one acts', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.seller()
  const sealed = await server.sealed('market.register', inputs['market.register'])
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(sealed)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(401)])
})

test.each(serviceNames)('%s wants the API key of the game server that signed', async (name) => {
  await using stub = await startStub()
  const [server, other] = [await stub.gameServer(), await stub.gameServer()]
  const withKey = async (apiKey: string | undefined) => {
    const { status, message } = await server.call(name, inputs[name], { headers: { 'X-Service-Api-Key': apiKey } })
    return [status, message]
  }
  expect(await withKey(undefined)).toEqual([401, 'Falta a chave de API: envie um cabeçalho X-Service-Api-Key.'])
  expect(await withKey('stub_wrong')).toEqual([401, 'A chave de API não é válida.'])
  expect(await withKey(other.apiKey)).toEqual([
    401,
    'A chave de API e a assinatura são de servidores de jogo diferentes.',
  ])
  expect((await lastRequest(stub)).authentication.step).toBe('api-key-owner')
})

test.each(signatureOnlyNames)('%s does not look at an API key that is sent along', async (name) => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.seller()
  const answer = await server.call(name, inputs[name], { headers: { 'X-Service-Api-Key': 'stub_wrong' } })
  expect(answer.status).not.toBe(401)
})

const brokenEnvelopes = [
  { step: 'header-line', changes: { headers: { 'X-Platform-Signature': undefined } } },
  { step: 'segments', changes: { headers: { 'X-Platform-Signature': 'a.b.c' } } },
  { step: 'encoding', changes: { headers: { 'X-Platform-Signature': 'e30=..AAAA' } } },
  { step: 'json', changes: { headers: { 'X-Platform-Signature': 'bm8..AAAA' } } },
  { step: 'algorithm', changes: { headers: { 'X-Platform-Signature': 'e30..AAAA' } } },
  { step: 'forbidden-parameter', changes: { claims: { jku: 'https://x' } } },
  { step: 'kid', changes: { claims: { kid: 'nobody' } } },
  { step: 'expiry', changes: { claims: { exp: 1 } } },
  { step: 'expiry', changes: { claims: { exp: 4_000_000_000 } } },
  { step: 'expiry', changes: { claims: { exp: '1' } } },
  { step: 'jti', changes: { claims: { jti: '' } } },
  { step: 'method', changes: { claims: { htm: 'GET' } } },
  { step: 'url', changes: { claims: { htu: 'http://127.0.0.1/v1/api/transactions' } } },
  { step: 'signature', changes: { sentBody: '{"characterRef":"other"}' } },
] as const

test.each(brokenEnvelopes)('an envelope broken at "$step" is refused, and the journal says where', async (broken) => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const answer = await server.call('character.link', { characterRef: 'seller' }, broken.changes)
  expect(answer.status).toBe(401)
  expect(answer.message).toMatch(/^[A-ZÀ-Ú].*\.$/)
  expect((await lastRequest(stub)).authentication.step).toBe(broken.step)
})

test('two signature lines are refused, equal or not', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const sealed = await server.sealed('market.eligibility', { characterRef: 'seller' })
  const signature = sealed.headers['X-Platform-Signature'] ?? ''
  const status = await new Promise((resolve, reject) => {
    const request = httpRequest(sealed.url, {
      headers: [
        ['Host', new URL(stub.url).host],
        ['X-Service-Api-Key', server.apiKey],
        ['X-Platform-Signature', signature],
        ['X-Platform-Signature', signature],
      ].flat(),
    })
    request.on('response', (response) => resolve(response.resume().statusCode))
    request.on('error', reject)
    request.end()
  })
  expect(status).toBe(401)
})

test('the journal has the text that a refused signature should have been made over', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const iat = Math.floor(Date.now() / 1_000) - 90
  const body = '{"characterRef":"seller"}'
  const sealed = await server.sealed('character.link', { characterRef: 'seller' }, { claims: { iat } })
  const [protectedSegment] = (sealed.headers['X-Platform-Signature'] ?? '').split('.')
  await send({ ...sealed, body: `${body} ` })
  const { authentication, code, status, kid } = await lastRequest(stub)
  expect([status, code, kid]).toEqual([401, 'ENVELOPE_REFUSED', server.kid])
  expect(authentication).toMatchObject({
    step: 'signature',
    signingInput: `${protectedSegment}.${Buffer.from(`${body} `).toString('base64url')}`,
    bodySha256: createHash('sha256').update(`${body} `).digest('hex'),
  })
  expect(Math.abs(authentication.clockDifferenceS + 90)).toBeLessThanOrEqual(2)
})

test('the journal has a long signing input whole while it is new, then its length and digest, and never a piece', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const body = JSON.stringify({ characterRef: 'c', note: 'x'.repeat(60_000) })
  const sealed = await server.sealed('character.link', {}, { body })
  await send({ ...sealed, body: `${body} ` })
  const [protectedSegment] = (sealed.headers['X-Platform-Signature'] ?? '').split('.')
  const whole = `${protectedSegment}.${Buffer.from(`${body} `).toString('base64url')}`
  const described = {
    signingInputLength: whole.length,
    signingInputSha256: createHash('sha256').update(whole).digest('hex'),
  }
  expect((await lastRequest(stub)).authentication).toMatchObject({ signingInput: whole, ...described })
  for (let n = 0; n < 100; n++) await fetch(`${stub.url}/v1/api/nothing`)
  const entries = (await stub.request('GET', '/stub/requests?limit=101')).data
  expect(entries.at(-1).authentication).toMatchObject({ signingInput: null, ...described })
})

test('requests that reach no operation have their own statuses, in Portuguese', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const answers = {
    unknown: await server.call('character.link', { characterRef: 'x' }, { path: '/v1/api/characters' }),
    trailingSlash: await server.call('character.link', { characterRef: 'x' }, { path: '/v1/api/character-links/' }),
    method: await server.call('market.withdraw', { itemRef: 'x' }, { method: 'DELETE' }),
    notJsonType: await server.call(
      'character.link',
      { characterRef: 'x' },
      { headers: { 'Content-Type': 'text/plain' } },
    ),
    notJson: await server.call('character.link', {}, { body: '{"characterRef":' }),
    list: await server.call('character.link', {}, { body: '[]' }),
    twice: await server.call('character.link', {}, { body: '{"characterRef":"a","characterRef":"b"}' }),
    tooLarge: await server.call('character.link', {}, { body: `{"characterRef":"${'a'.repeat(65_520)}"}` }),
  }
  expect(Object.entries(answers).map(([name, { status }]) => [name, status])).toEqual([
    ['unknown', 404],
    ['trailingSlash', 404],
    ['method', 405],
    ['notJsonType', 415],
    ['notJson', 400],
    ['list', 400],
    ['twice', 400],
    ['tooLarge', 413],
  ])
  expect(answers.method.headers.get('allow')).toBe('POST, PUT')
  for (const { message } of Object.values(answers)) expect(message).toMatch(/^[A-ZÀ-Ú].*\.$/)
})

test('a body of exactly 65,536 bytes passes', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const wrapping = '{"characterRef":"a","note":""}'.length
  const body = `{"characterRef":"a","note":"${'x'.repeat(65_536 - wrapping)}"}`
  expect(Buffer.byteLength(body)).toBe(65_536)
  expect((await server.call('character.link', {}, { body })).status).toBe(200)
  expect((await server.call('character.link', {}, { body: `${body} ` })).status).toBe(413)
})

test('neither key nor signature reaches the log or the journal', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const sealed = await server.sealed('market.register', inputs['market.register'])
  const service = await server.sealed('transaction.get', inputs['transaction.get'])
  await send(sealed)
  await send(sealed)
  await send(service)
  const journal = (await stub.request('GET', '/stub/requests')).text
  const secrets = [server.apiKey, sharedPrivateKey.export({ type: 'pkcs8', format: 'pem' }).toString().slice(40, 100)]
  for (const { headers } of [sealed, service]) secrets.push(headers['X-Platform-Signature']?.split('.')[2] ?? '-')
  for (const secret of secrets) {
    expect(stub.logLines.join('')).not.toContain(secret)
    expect(journal).not.toContain(secret)
  }
  expect(stub.logLines.filter((line) => line.includes('request answered'))).toHaveLength(3)
})
