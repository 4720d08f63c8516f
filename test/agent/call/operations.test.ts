import { sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { operations, type PlatformOperation } from '../../../contract/operations.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'
import { end } from '../fixtures/events.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { agentPublicKey, goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

const platformOperations = Object.entries(operations).filter(([, { kind }]) => kind === 'platform') as [
  string,
  PlatformOperation,
][]

/** What goes over the wire for each operation's good input. */
const wire: Readonly<Record<string, readonly [request: string, body: string]>> = {
  'character.link': ['POST /v1/api/character-links', '{"characterRef":"char-1"}'],
  'market.register': ['POST /v1/api/market/listings', JSON.stringify(goodInputs['market.register'])],
  'market.adjust-stock': [
    'PUT /v1/api/market/listings',
    '{"itemRef":"item-1","observedQuantity":2,"action":"ADJUST_STOCK"}',
  ],
  'market.withdraw': ['PUT /v1/api/market/listings', '{"itemRef":"item-1","action":"WITHDRAW"}'],
  'market.eligibility': ['GET /v1/api/market/eligibility/char-1', ''],
  'transaction.create': ['POST /v1/api/transactions', '{"itemRef":"item-1","quantity":1,"buyerCharacterRef":"char-2"}'],
  'transaction.get': ['GET /v1/api/transactions/42', ''],
  'transaction.delivery': ['POST /v1/api/transactions/42/delivery', '{}'],
  'transaction.delivery-failure': [
    'POST /v1/api/transactions/42/delivery-failure',
    '{"reason":"TEMPORARY","observedQuantity":3}',
  ],
}

for (const [name, operation] of platformOperations) {
  test(`${name} is signed over its exact bytes, sent as ${operation.auth}, and its data comes back`, async () => {
    const answerBody = goodBodies[name] ?? ''
    await using platform = await ScriptedPlatform.start([{ status: 200, body: answerBody }])
    await using agent = await startTestAgent(platform.url)
    const { text } = await agent.callText(JSON.stringify({ operation: name, input: goodInputs[name] }))
    expect(text).toBe(`{"ok":true,"data":${answerBody === '' ? 'null' : answerBody.slice('{"data":'.length, -1)}}`)

    const [seen] = platform.seen
    expect(platform.seen).toHaveLength(1)
    expect([`${seen?.method} ${seen?.path}`, seen?.body]).toEqual(wire[name])
    expect(seen?.headers['x-service-api-key'] !== undefined).toBe(operation.auth === 'service')
    expect(seen?.envelope).toMatchObject({
      alg: 'RS256',
      kid: 'game-server-1',
      htm: seen?.method,
      htu: `${platform.url}${seen?.path}`,
    })
    const [protectedSegment = '', middle, signature = ''] = (seen?.headers['x-platform-signature'] ?? '').split('.')
    const input = `${protectedSegment}.${Buffer.from(seen?.body ?? '').toString('base64url')}`
    expect(middle).toBe('')
    expect(verify('sha256', Buffer.from(input), agentPublicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test(`${name} with a missing or wrong field is refused before anything is sent, and the field is named`, async () => {
    await using platform = await ScriptedPlatform.start()
    await using agent = await startTestAgent(platform.url)
    for (const field of Object.keys(goodInputs[name] ?? {})) {
      const { [field]: _, ...without } = goodInputs[name] ?? {}
      for (const input of [without, { ...without, [field]: null }, { ...without, [field]: ['x'] }]) {
        const answer = await agent.call(name, input)
        expect(answer).toEqual({
          ok: false,
          status: 400,
          code: 'INPUT_INVALID',
          message: expect.stringContaining(`"${field}"`),
        })
      }
    }
    expect(platform.seen).toHaveLength(0)
  })
}

test("the base address's own path comes before the route, and its /v1 only once", async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(`${platform.url}/pay`)
  await agent.call('market.withdraw', { itemRef: 'i' })
  expect(platform.seen[0]?.path).toBe('/pay/v1/api/market/listings')
  expect(platform.seen[0]?.envelope.htu).toBe(`${platform.url}/pay/v1/api/market/listings`)
})

test('a reference with any characters stays one path segment', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  for (const characterRef of ['a/b', '../x', 'é ?#%', '..%2f', '\\']) {
    expect(await agent.call('market.eligibility', { characterRef })).toMatchObject({ ok: true })
    const [, segment = ''] =
      /^\/v1\/api\/market\/eligibility\/([^/?#\\]+)$/.exec(platform.seen.at(-1)?.path ?? '') ?? []
    expect(decodeURIComponent(segment)).toBe(characterRef)
  }
  for (const characterRef of ['.', '..', '']) {
    expect(await agent.call('market.eligibility', { characterRef })).toMatchObject({ ok: false, status: 400 })
  }
  expect(platform.seen).toHaveLength(5)
})

test("the platform's messages pass through byte for byte", async () => {
  const message = '"Estoque insuficiente: restam s\\u00f3 2 \\ud83d\\ude00 \\/ unidades — não dá"'
  await using platform = await ScriptedPlatform.start([{ status: 409, body: `{ "code": 7,\n "message": ${message} }` }])
  await using agent = await startTestAgent(platform.url)
  const { text } = await agent.callText(
    JSON.stringify({ operation: 'transaction.create', input: goodInputs['transaction.create'] }),
  )
  expect(text).toBe(`{"ok":false,"message":${message},"status":409}`)
})

test("the platform's numbers pass through digit for digit", async () => {
  const data =
    '{"transactionId":42,"paymentStatus":"PAGO","deliveryStatus":null,"a":1.0,"b":9007199254740993,"c":1e400,"d":-0.10,"e":1E5}'
  await using platform = await ScriptedPlatform.start([{ status: 200, body: `{"data":${data}}` }])
  await using agent = await startTestAgent(platform.url)
  const { text } = await agent.callText('{"operation":"transaction.get","input":{"transactionId":42}}')
  expect(text).toBe(`{"ok":true,"data":${data}}`)
})

for (const status of [200, 201, 202, 204, 205]) {
  test(`a PUT answered with an empty ${status} is a success`, async () => {
    await using platform = await ScriptedPlatform.start([{ status }])
    await using agent = await startTestAgent(platform.url)
    expect(await agent.call('market.withdraw', { itemRef: 'i' })).toEqual({ ok: true, data: null })
  })
}

test('an input that is not an object is named as what it is, and a missing one as missing', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  const refused = async (input: string) => {
    const { status, text } = await agent.callText(`{"operation":"market.withdraw"${input}}`)
    expect(status).toBe(400)
    return JSON.parse(text).message
  }
  expect(await refused(',"input":[]')).toMatch(/"input" deve ser um objeto .*; foi recebida uma lista\.$/)
  expect(await refused(',"input":"x"')).toMatch(/"input" deve ser um objeto .*; foi recebido o texto "x"\.$/)
  expect(await refused(',"input":null')).toMatch(/"input" deve ser um objeto .*; foi recebido null\.$/)
  expect(await refused('')).toMatch(/"input" é obrigatório/)
})

test('a PUT that returns data passes it on, and anything else with a body is not an answer', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  platform.otherwise = { status: 200, body: '{"data":{"itemRef":"i"}}' }
  expect(await agent.call('market.withdraw', { itemRef: 'i' })).toEqual({ ok: true, data: { itemRef: 'i' } })
  for (const body of ['{}', 'OK', '<html>', '[]']) {
    platform.otherwise = { status: 200, body }
    expect(await agent.call('market.withdraw', { itemRef: 'i' })).toMatchObject({
      ok: false,
      status: 502,
      uncertain: true,
    })
  }
})

test('an answer about another transaction or listing is not an answer', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  platform.otherwise = { status: 200, body: (goodBodies['transaction.delivery'] ?? '').replace('42', '43') }
  expect(await agent.call('transaction.delivery', { transactionId: 42 })).toMatchObject({
    ok: false,
    status: 502,
    uncertain: true,
  })
  platform.otherwise = { status: 200, body: (goodBodies['market.register'] ?? '').replace('item-1', 'item-2') }
  expect(await agent.call('market.register', goodInputs['market.register'])).toMatchObject({
    ok: false,
    status: 502,
    uncertain: true,
  })
})

for (const [name, sealed] of [
  ['market.register.envelope', 'market.register'],
  ['transaction.create.envelope', 'transaction.create'],
] as const) {
  test(`${name} signs what the game client carries and sends nothing`, async () => {
    await using platform = await ScriptedPlatform.start()
    await using agent = await startTestAgent(platform.url)
    const answer = await agent.call(name, goodInputs[sealed])
    const carried = answer['data'] as {
      method: string
      url: string
      headers: Record<string, string>
      body: string
      expiresAt: string
    }
    const [request = '', body] = wire[sealed] ?? []
    expect(`${carried.method} ${carried.url}`).toBe(request.replace(' ', ` ${platform.url}`))
    expect(carried.body).toBe(body)
    expect(Date.parse(carried.expiresAt) - agent.clock.wallMs()).toBeGreaterThan(298_000)
    const [protectedSegment = '', , signature = ''] = (carried.headers['X-Platform-Signature'] ?? '').split('.')
    const input = Buffer.from(`${protectedSegment}.${Buffer.from(carried.body).toString('base64url')}`)
    expect(verify('sha256', input, agentPublicKey, Buffer.from(signature, 'base64url'))).toBe(true)
    expect(platform.seen).toHaveLength(0)
  })
}

const platformKeys = testKeysOf('platform')
const terminal = JSON.stringify({ ...end, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', reason: null })

function webhookSignature(body: string, expS: number): string {
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'platform-1', exp: expS })).toString('base64url')
  const signature = sign(
    'sha256',
    Buffer.from(`${header}.${Buffer.from(body).toString('base64url')}`),
    platformKeys.privateKey,
  )
  return `${header}..${signature.toString('base64url')}`
}

test('webhook.verify returns the event of a valid signature, and the outcome of a terminal event, as text and as base64', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9', {
    platformKeys: new Map([['platform-1', platformKeys.publicKey]]),
  })
  const signature = webhookSignature(terminal, agent.clock.wallMs() / 1000 + 300)
  for (const body of [{ body: terminal }, { bodyBase64: Buffer.from(terminal).toString('base64') }]) {
    expect(await agent.call('webhook.verify', { signature, ...body })).toEqual({
      ok: true,
      data: { event: JSON.parse(terminal), outcome: 'CONCLUIDA' },
    })
  }
})

test('webhook.verify refuses what was changed, has expired, or is signed by another key, with 401', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9', {
    platformKeys: new Map([['platform-1', platformKeys.publicKey]]),
  })
  const nowS = agent.clock.wallMs() / 1000
  const good = webhookSignature(terminal, nowS + 300)
  const altered = await agent.call('webhook.verify', { signature: good, body: terminal.replace('17', '18') })
  expect(altered['message']).toMatch(/^Webhook recusado\. .*outros bytes/)
  const refused = { ok: false, status: 401, code: 'WEBHOOK_REFUSED', message: expect.stringContaining('assinatura') }
  expect(await agent.call('webhook.verify', { signature: good, body: terminal.replace('17', '18') })).toEqual(refused)
  expect(
    await agent.call('webhook.verify', { signature: webhookSignature(terminal, nowS - 31), body: terminal }),
  ).toEqual(refused)
  expect(await agent.call('webhook.verify', { signature: good.replace('..', '.e30.'), body: terminal })).toEqual(
    refused,
  )
  await using other = await startTestAgent('http://127.0.0.1:9', {
    platformKeys: new Map([['platform-1', agentPublicKey]]),
  })
  const byAnother = await other.call('webhook.verify', { signature: good, body: terminal })
  expect(byAnother).toEqual(refused)
  expect(byAnother['message']).toMatch(/^Webhook recusado\. .*chave privada/)
})

for (const aheadS of [-3_600, 400, 86_400]) {
  test(`webhook.verify asks the platform for its time where the host's clock is ${aheadS} s ahead`, async () => {
    await using platform = await ScriptedPlatform.start()
    await using agent = await startTestAgent(platform.url, {
      platformKeys: new Map([['platform-1', platformKeys.publicKey]]),
    })
    const platformMs = agent.clock.wallMs() - aheadS * 1_000
    const headers = { date: new Date(platformMs).toUTCString() }
    platform.otherwise = { status: 401, headers, body: '{"message":"Envie a assinatura."}' }
    const signature = webhookSignature(terminal, platformMs / 1000 + 300)
    expect(await agent.call('webhook.verify', { signature, body: terminal })).toMatchObject({ ok: true })
    for (const { headers: sent } of platform.seen) {
      expect(sent).not.toHaveProperty('x-platform-signature')
      expect(sent).not.toHaveProperty('x-service-api-key')
    }
  })
}

test('webhook.verify asks for the time only where everything but the time is right, and refuses what is expired then', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url, {
    platformKeys: new Map([['platform-1', platformKeys.publicKey]]),
  })
  const nowS = agent.clock.wallMs() / 1000
  platform.otherwise = { status: 401, headers: { date: new Date(nowS * 1000).toUTCString() } }
  const expired = webhookSignature(terminal, nowS - 31)
  const refused = { ok: false, status: 401 }
  expect(await agent.call('webhook.verify', { signature: expired, body: `${terminal} ` })).toMatchObject(refused)
  expect(platform.seen).toHaveLength(0)
  expect(await agent.call('webhook.verify', { signature: expired, body: terminal })).toMatchObject(refused)
  expect(platform.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/api/market/eligibility/clock'])
})

test('webhook.verify says what is missing when no key is configured or no body is given', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  expect(await agent.call('webhook.verify', { signature: 'x', body: '{}' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('SERVICE_PLATFORM_KID'),
  })
  await using ready = await startTestAgent('http://127.0.0.1:9', {
    platformKeys: new Map([['platform-1', platformKeys.publicKey]]),
  })
  expect(await ready.call('webhook.verify', { signature: 'x' })).toMatchObject({
    ok: false,
    status: 400,
    message: expect.stringContaining('bodyBase64'),
  })
})
