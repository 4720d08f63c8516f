import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type EnvelopeStep, envelopeSteps } from '../../../contract/envelope/open.ts'
import {
  type CallChanges,
  type GameServer,
  send,
  sharedPrivateKey,
  startStub,
  type TestStub,
} from '../fixtures/stub.ts'

type Step = EnvelopeStep | 'api-key' | 'api-key-owner' | 'replay'

interface Case {
  readonly step: Step
  readonly what: string
  readonly changes: (server: GameServer, other: GameServer) => CallChanges
  readonly expected: string | RegExp
  readonly received: string | RegExp
  /** Whether there is a header that the signing input could begin with. */
  readonly hasHeader: boolean
}

const segment = (text: string) => Buffer.from(text).toString('base64url')
const line = (value: string | undefined) => () => ({ headers: { 'X-Platform-Signature': value } })
const claims = (changed: Record<string, unknown>) => () => ({ claims: changed })
const form = '<protected>..<signature>, the middle segment empty'

const cases: readonly Case[] = [
  {
    step: 'header-line',
    what: 'none',
    changes: line(undefined),
    expected: 'one X-Platform-Signature header',
    received: 'none',
    hasHeader: false,
  },
  {
    step: 'header-line',
    what: 'one that is too long',
    changes: line(`${segment('{}')}..${'A'.repeat(4_096)}`),
    expected: 'at most 4096 bytes',
    received: '4101 bytes',
    hasHeader: true,
  },
  {
    step: 'segments',
    what: 'a payload in the middle',
    changes: line(`${segment('{}')}.e30.AAAA`),
    expected: form,
    received: 'segments of length 3, 3, 4',
    hasHeader: true,
  },
  {
    step: 'segments',
    what: 'the API key in its place',
    changes: ({ apiKey }) => ({ headers: { 'X-Platform-Signature': apiKey } }),
    expected: form,
    received: 'segments of length 48',
    hasHeader: false,
  },
  {
    step: 'segments',
    what: 'only a signature',
    changes: line('A'.repeat(342)),
    expected: form,
    received: 'segments of length 342',
    hasHeader: false,
  },
  {
    step: 'encoding',
    what: 'padding',
    changes: line('e30=..AAAA'),
    expected: 'a protected header in base64url without padding',
    received: 'another encoding',
    hasHeader: true,
  },
  {
    step: 'json',
    what: 'a name twice',
    changes: line(`${segment('{"alg":"RS256","alg":"RS256"}')}..AAAA`),
    expected: 'a JSON object in UTF-8, no name twice',
    received: 'duplicate-name',
    hasHeader: true,
  },
  {
    step: 'json',
    what: 'no JSON at all',
    changes: line(`${segment('alg=RS256')}..AAAA`),
    expected: 'a JSON object in UTF-8, no name twice',
    received: 'not-json',
    hasHeader: false,
  },
  {
    step: 'forbidden-parameter',
    what: 'a remote key',
    changes: claims({ jku: 'https://x' }),
    expected: /^none of crit, b64, jwk, jku/,
    received: 'jku',
    hasHeader: true,
  },
  {
    step: 'algorithm',
    what: 'another one',
    changes: line(`${segment('{"alg":"none"}')}..AAAA`),
    expected: 'alg RS256',
    received: '"none"',
    hasHeader: true,
  },
  {
    step: 'kid',
    what: 'an unknown one',
    changes: claims({ kid: 'nobody' }),
    expected: 'the kid of a registered key',
    received: '"nobody"',
    hasHeader: true,
  },
  {
    step: 'expiry',
    what: 'one that is past',
    changes: claims({ exp: 1 }),
    expected: /^exp after \d{10}(\.\d+)?$/,
    received: '1',
    hasHeader: true,
  },
  {
    step: 'expiry',
    what: 'one that is too far ahead',
    changes: claims({ exp: 4_000_000_000 }),
    expected: /^exp at most \d{10}(\.\d+)?$/,
    received: '4000000000',
    hasHeader: true,
  },
  {
    step: 'jti',
    what: 'none',
    changes: claims({ jti: undefined }),
    expected: 'jti, a string of 1 to 255',
    received: 'none',
    hasHeader: true,
  },
  {
    step: 'method',
    what: 'another one',
    changes: claims({ htm: 'GET' }),
    expected: 'htm POST',
    received: '"GET"',
    hasHeader: true,
  },
  {
    step: 'url',
    what: "another route's",
    changes: claims({ htu: 'http://127.0.0.1/v1/api/transactions' }),
    expected: 'htu with the path /v1/api/character-links',
    received: '"http://127.0.0.1/v1/api/transactions"',
    hasHeader: true,
  },
  {
    step: 'signature',
    what: 'a body that was written again',
    changes: () => ({ sentBody: '{ "characterRef": "seller" }' }),
    expected: /^a signature by game-server-1-\S+ over the received bytes$/,
    received: /^one by game-server-1-\S+ over other bytes than these 28 and this header$/,
    hasHeader: true,
  },
  {
    step: 'api-key',
    what: 'none',
    changes: () => ({ headers: { 'X-Service-Api-Key': undefined } }),
    expected: 'one X-Service-Api-Key header',
    received: '0',
    hasHeader: true,
  },
  {
    step: 'api-key',
    what: 'an unknown one',
    changes: ({ apiKey }) => ({ headers: { 'X-Service-Api-Key': `${apiKey}x` } }),
    expected: 'the API key of a registered game server',
    received: 'another one',
    hasHeader: true,
  },
  {
    step: 'api-key-owner',
    what: "another game server's",
    changes: (_, { apiKey }) => ({ headers: { 'X-Service-Api-Key': apiKey } }),
    expected: 'a kid of game server 2, whose API key was sent',
    received: 'a kid of game server 1',
    hasHeader: true,
  },
  {
    step: 'replay',
    what: 'a jti that was used',
    changes: () => ({ jti: 'used' }),
    expected: 'a jti that was not used before',
    received: 'used',
    hasHeader: true,
  },
]

const skewS = -90

/** A stub with two game servers, and one envelope that was used. */
async function startWorld() {
  const stub = await startStub()
  const [server, other] = [await stub.gameServer(), await stub.gameServer()]
  await server.call('character.link', { characterRef: 'seller' }, { jti: 'used' })
  return { stub, server, other, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() }
}

async function newestEntry(stub: TestStub) {
  return (await stub.request('GET', '/stub/requests?limit=1')).data[0]
}

test('the journal explains every refusal: its step, what was expected and received, and what was to be signed', async () => {
  await using world = await startWorld()
  for (const refused of cases) await holdToCase(world, refused)
})

type World = Awaited<ReturnType<typeof startWorld>>

async function holdToCase({ stub, server, other }: World, refused: Case): Promise<void> {
  const { changes, step, what, expected, received, hasHeader } = refused
  const about = `${step}: ${what}`
  const iat = Math.floor((await stub.now()) / 1_000) + skewS
  const changed = changes(server, other)
  const input = { characterRef: 'seller' }
  const sealed = await server.sealed('character.link', input, { ...changed, claims: { iat, ...changed.claims } })
  const answer = await send(sealed)
  const entry = await newestEntry(stub)
  expect([about, answer.status, entry.status, entry.message]).toEqual([about, 401, 401, answer.message])
  expect(entry, about).toMatchObject({
    method: 'POST',
    path: '/v1/api/character-links',
    operation: 'character.link',
    authentication: {
      step,
      expected: typeof expected === 'string' ? expected : expect.stringMatching(expected),
      received: typeof received === 'string' ? received : expect.stringMatching(received),
      bodyBytes: Buffer.byteLength(sealed.body),
      bodySha256: createHash('sha256').update(sealed.body).digest('hex'),
    },
  })
  const { signingInput, clockDifferenceS } = entry.authentication
  const [sent = ''] = (sealed.headers['X-Platform-Signature'] ?? '').split('.')
  const body = Buffer.from(sealed.body).toString('base64url')
  expect([about, signingInput]).toEqual([about, hasHeader ? `${sent}.${body}` : null])
  const saysWhen = Buffer.from(sent, 'base64url').includes('"iat"')
  if (saysWhen) expect(Math.abs(clockDifferenceS - skewS), about).toBeLessThanOrEqual(2)
  else expect([about, clockDifferenceS]).toEqual([about, null])
}

test('every step of the envelope, and the steps around it, is one of these refusals', () => {
  const steps: Step[] = [...envelopeSteps, 'api-key', 'api-key-owner', 'replay']
  expect([...new Set(cases.map(({ step }) => step))].sort()).toEqual(steps.sort())
})

test('no refusal brings a key or a signature into the journal or the log', async () => {
  await using world = await startWorld()
  const { stub, server, other } = world
  const secrets = [server.apiKey, other.apiKey]
  secrets.push(sharedPrivateKey.export({ type: 'pkcs8', format: 'pem' }).toString().slice(40, 100))
  for (const { changes } of cases) {
    const sealed = await server.sealed('character.link', { characterRef: 'seller' }, changes(server, other))
    const parts = (sealed.headers['X-Platform-Signature'] ?? '').split('.')
    const signature = parts.length === 1 ? parts[0] : parts[2]
    if (signature && signature.length > 20) secrets.push(signature)
    await send(sealed)
  }
  const journal = (await stub.request('GET', `/stub/requests?limit=1000`)).text
  expect((JSON.parse(journal) as { data: unknown[] }).data).toHaveLength(cases.length + 1)
  for (const secret of secrets) {
    expect(journal).not.toContain(secret)
    expect(stub.logLines.join('')).not.toContain(secret)
  }
})

test('a request that is not refused for its credentials needs no explanation and says what became of it', async () => {
  await using world = await startWorld()
  const { stub, server } = world
  await server.call('market.eligibility', { characterRef: 'c' }, { jti: randomUUID() })
  expect(await newestEntry(stub)).toEqual({
    number: 2,
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    method: 'GET',
    path: '/v1/api/market/eligibility/c',
    operation: 'market.eligibility',
    gameServerId: 1,
    kid: server.kid,
    status: 200,
    code: null,
    message: null,
    transactionId: null,
    headers: expect.arrayContaining([['x-service-api-key', '***']]),
    requestBody: '',
    answerBody: expect.stringMatching(/^\{"data":\{"allowed":false,/),
    durationMs: expect.any(Number),
    authentication: null,
    fault: null,
  })
  await server.call('market.withdraw', { itemRef: 'x' })
  expect(await newestEntry(stub)).toMatchObject({ status: 404, code: 'LISTING_UNKNOWN', authentication: null })
})

test('a request is kept with its body, its answer and the transaction that it is about', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  await server.listing()
  const purchase = { itemRef: 'sword-1', quantity: 1, buyerCharacterRef: 'b' }
  const { data } = await server.call('transaction.create', purchase)
  const created = await newestEntry(stub)
  expect(JSON.parse(created.requestBody)).toEqual(purchase)
  expect([created.transactionId, JSON.parse(created.answerBody)]).toEqual([data.transactionId, { data }])
  await server.call('transaction.delivery', { transactionId: data.transactionId })
  const refused = await newestEntry(stub)
  expect([refused.transactionId, refused.requestBody, JSON.parse(refused.answerBody)]).toEqual([
    data.transactionId,
    '{}',
    { message: refused.message },
  ])
  await server.call('market.adjust-stock', { itemRef: 'sword-1', observedQuantity: 1 })
  expect(await newestEntry(stub)).toMatchObject({ transactionId: null, answerBody: '' })
})

test('an API key or a private key that was put into a body by mistake is not kept', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const privateKeyPem = sharedPrivateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await server.call('market.adjust-stock', { itemRef: server.apiKey, observedQuantity: 1, privateKeyPem })
  const { requestBody, answerBody } = await newestEntry(stub)
  expect(JSON.parse(requestBody)).toMatchObject({ itemRef: 'stub_***', privateKeyPem: '*** private key ***\n' })
  expect(requestBody + answerBody).not.toContain(server.apiKey)
})

test('long bodies are kept with the newest hundred requests, and short ones with all', async () => {
  await using stub = await startStub()
  const server = await stub.gameServer()
  const detail = 'x'.repeat(5_000)
  const report = { transactionId: 1, reason: 'TEMPORARY', observedQuantity: 1, detail }
  await server.call('transaction.delivery-failure', report)
  expect((await newestEntry(stub)).requestBody).toContain(detail)
  for (let n = 0; n < 100; n++)
    await server.call('market.withdraw', { itemRef: 'x' }, { headers: { 'X-Service-Api-Key': '' } })
  const entries = (await stub.request('GET', '/stub/requests?limit=1000')).data
  expect(entries.at(-1)).toMatchObject({ operation: 'transaction.delivery-failure', requestBody: null })
  expect(entries.at(-2).requestBody).toContain('WITHDRAW')
})
