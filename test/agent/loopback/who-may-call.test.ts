import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guard } from '../../../agent/loopback/guard.ts'
import { RawConnection, rawRequest } from '../fixtures/raw-connection.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, startTestAgent, type TestAgent } from '../fixtures/test-agent.ts'

const callBody = '{"operation":"market.eligibility","input":{"characterRef":"c"}}'

/** Sends bytes as they are and returns all that comes; a caller may close its side when it has said everything. */
function raw(
  agent: TestAgent,
  text: string | Buffer,
  { closesItsSide = false } = {},
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(agent.url)
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: closesItsSide })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: rest.join('\r\n\r\n') })
    })
    if (closesItsSide) socket.on('end', () => socket.destroy()).end(text)
    else socket.write(text)
  })
}

const request = (lines: readonly string[], body = callBody, requestLine = 'POST /call HTTP/1.1') =>
  [requestLine, ...lines, 'connection: close', `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')

const host = 'host: 127.0.0.1:8899'
const json = 'content-type: application/json'

/** Each row of the table of callers: what arrives, and the status that it gets. */
const rows: Readonly<Record<string, readonly [text: string, status: number]>> = {
  'a plain call': [request([host, json]), 200],
  'a call without a Content-Type': [request([host]), 200],
  'a call in UTF-8 said so': [request([host, 'content-type: application/json; charset=utf-8']), 200],
  'a call to localhost': [request(['host: localhost:8899', json]), 200],
  'a call to [::1]': [request(['host: [::1]', json]), 200],
  'a navigation typed by a person': [request([host, 'sec-fetch-site: none'], '', 'GET /health HTTP/1.1'), 200],
  'an unknown path': [request([host, json], callBody, 'POST /calls HTTP/1.1'), 404],
  'a path with a query': [request([host, json], callBody, 'POST /call?x=1 HTTP/1.1'), 404],
  'an absolute-form target': [request([host, json], callBody, 'POST http://127.0.0.1:8899/call HTTP/1.1'), 404],
  'an absolute-form target with another host': [
    request([host, json], callBody, 'POST http://evil.example/call HTTP/1.1'),
    404,
  ],
  'another method': [request([host, json], callBody, 'PUT /call HTTP/1.1'), 405],
  'a preflight': [
    request(
      [host, 'origin: https://evil.example', 'access-control-request-method: POST'],
      '',
      'OPTIONS /call HTTP/1.1',
    ),
    405,
  ],
  'no Host': [request([json]), 403],
  'an empty Host': [request(['host:', json]), 403],
  'two Hosts': [request([host, host, json]), 403],
  'a Host of another name': [request(['host: evil.example', json]), 403],
  'a Host that only begins like loopback': [request(['host: 127.0.0.1.evil.example', json]), 403],
  'a Host with a user before it': [request(['host: x@127.0.0.1', json]), 403],
  'an Origin, even its own': [request([host, json, 'origin: http://127.0.0.1:8899']), 403],
  'an Origin of null': [request([host, json, 'origin: null']), 403],
  'a cross-site fetch': [request([host, json, 'sec-fetch-site: cross-site']), 403],
  'a same-site fetch': [request([host, json, 'sec-fetch-site: same-site']), 403],
  'a same-origin fetch': [request([host, json, 'sec-fetch-site: same-origin']), 403],
  'a form': [request([host, 'content-type: application/x-www-form-urlencoded']), 415],
  'a plain text, as a page may send it': [request([host, 'content-type: text/plain']), 415],
  'two Content-Types': [request([host, json, json]), 415],
  'JSON in another charset': [request([host, 'content-type: application/json; charset=utf-16']), 415],
  'a body in another transfer coding': [
    [
      'POST /call HTTP/1.1',
      host,
      json,
      'connection: close',
      'transfer-encoding: gzip, chunked',
      '',
      '4\r\ngzip\r\n0\r\n\r\n',
    ].join('\r\n'),
    415,
  ],
  'a head of 20,000 bytes': [request([host, `x-filler: ${'x'.repeat(20_000)}`]), 431],
  'a compressed body': [request([host, json, 'content-encoding: gzip']), 415],
  'a body of 65,537 bytes': [request([host, json], callBody.padEnd(65_537)), 413],
  'a body of 65,536 bytes': [request([host, json], callBody.padEnd(65_536)), 200],
  'a body that is not JSON': [request([host, json], '{'), 400],
  'a body that is not an object': [request([host, json], '[]'), 400],
  'an empty body': [request([host, json], ''), 400],
  'a name given twice': [
    request([host, json], '{"operation":"market.eligibility","operation":"transaction.get","input":{}}'),
    400,
  ],
  'a number that would change when read': [
    request([host, json], '{"operation":"transaction.get","input":{"transactionId":9007199254740993}}'),
    400,
  ],
  'an unknown operation': [request([host, json], '{"operation":"market.sell","input":{}}'), 400],
  'an input that is not an object': [request([host, json], '{"operation":"market.eligibility","input":[]}'), 400],
  'no input': [request([host, json], '{"operation":"market.eligibility"}'), 400],
  'an id that is a number': [
    request([host, json], '{"operation":"market.eligibility","input":{"characterRef":"c"},"id":7}'),
    400,
  ],
  'an empty id': [
    request([host, json], '{"operation":"market.eligibility","input":{"characterRef":"c"},"id":""}'),
    400,
  ],
  'an id of 256 characters': [
    request(
      [host, json],
      JSON.stringify({ operation: 'market.eligibility', input: { characterRef: 'c' }, id: 'x'.repeat(256) }),
    ),
    400,
  ],
  'an id of 255 characters': [
    request(
      [host, json],
      JSON.stringify({ operation: 'market.eligibility', input: { characterRef: 'c' }, id: 'x'.repeat(255) }),
    ),
    200,
  ],
  'a prototype name as operation': [request([host, json], '{"operation":"constructor","input":{}}'), 400],
  'a prototype name as path': [request([host], '', 'GET __proto__ HTTP/1.1'), 400],
  'something that is not HTTP': ['hello\r\n\r\n', 400],
}

for (const [what, [text, status]] of Object.entries(rows)) {
  test(`${what} meets ${status}, in JSON with ok, and no CORS header`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
    await using agent = await startTestAgent(platform.url)
    const answer = await raw(agent, text)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ ok: status === 200 })
    if (status !== 200) expect(JSON.parse(answer.body)).toMatchObject({ status, message: expect.stringMatching(/\S/) })
    expect(answer.head).not.toContain('access-control')
    for (const header of [
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      "content-security-policy: default-src 'none'",
    ]) {
      expect(answer.head).toContain(header)
    }
    if (status === 405) expect(answer.head).toMatch(/allow: post/)
    if (status !== 200) expect(platform.seen).toHaveLength(0)
  })
}

test('a caller that has closed its side is answered all the same', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  const answer = await raw(agent, request([host, json]), { closesItsSide: true })
  expect(JSON.parse(answer.body)).toMatchObject({ ok: true })
})

test('a call that is followed by something that is not HTTP gets its own answer, and nothing else', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  const answer = await raw(agent, `${request([host, json]).replace('connection: close\r\n', '')}\0\0`)
  expect(answer).toMatchObject({ status: 200, head: expect.stringContaining('connection: close') })
  expect(JSON.parse(answer.body)).toMatchObject({ ok: true })
  expect(platform.seen).toHaveLength(1)
})

test('a caller that dribbles its head or its body is let go, and told why', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  const [head, body] = await Promise.all([
    raw(agent, 'POST /call HTTP/1.1\r\nhost: 127.0.0.1\r\n'),
    raw(agent, request([host, json]).slice(0, -5)),
  ])
  expect(head.status).toBe(408)
  expect(body.status).toBe(408)
})

test('a body whose length is not told is refused as soon as it is too large', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n1\r\nx\r\n0\r\n\r\n`
  const answer = await raw(
    agent,
    ['POST /call HTTP/1.1', host, json, 'connection: close', 'transfer-encoding: chunked', '', chunk].join('\r\n'),
  )
  expect(answer.status).toBe(413)
})

test('a body that is not UTF-8 is refused, and a byte order mark is not', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  const send = (body: Buffer) =>
    raw(
      agent,
      Buffer.concat([
        Buffer.from(`POST /call HTTP/1.1\r\n${host}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`),
        body,
      ]),
    )
  expect((await send(Buffer.from(callBody.replace('"c"', '"é"'), 'latin1'))).body).toContain('UTF-8')
  expect((await send(Buffer.from(`\uFEFF${callBody}`))).status).toBe(200)
})

for (const [what, headers, status] of [
  ['the token', ['authorization: Bearer s3cret-token'], 200],
  ['no token', [], 401],
  ['another token', ['authorization: Bearer s3cret-tokem'], 401],
  ['a longer token', ['authorization: Bearer s3cret-token1'], 401],
  ['the token twice', ['authorization: Bearer s3cret-token', 'authorization: Bearer s3cret-token'], 401],
  ['another scheme', ['authorization: Basic s3cret-token'], 401],
] as const) {
  test(`where a token is configured, ${what} meets ${status}; /health wants none`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
    await using agent = await startTestAgent(platform.url, { token: 's3cret-token' })
    expect((await raw(agent, request([host, json, ...headers]))).status).toBe(status)
    expect((await raw(agent, request([host, ...headers], '', 'GET /operations HTTP/1.1'))).status).toBe(status)
    expect((await raw(agent, request([host], '', 'GET /health HTTP/1.1'))).status).toBe(200)
  })
}

test('the more than 1,024th call waiting is refused with 503, and the others are answered', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  using connections = new DisposableStack()
  const head = rawRequest('POST /call', 'xxxxx', ['expect: 100-continue']).slice(0, -5)
  const waiting = await Promise.all(
    Array.from({ length: 1_024 }, async () => {
      const connection = connections.use(await RawConnection.open(agent.url))
      connection.write(head)
      // A call that may send its body is waiting.
      expect((await connection.answered(1))[0]?.status).toBe(100)
      return connection
    }),
  )
  expect((await raw(agent, request([host, json], '{}'))).status).toBe(503)
  for (const connection of waiting) connection.write('{"a":')
  const statuses = await Promise.all(waiting.map(async (connection) => (await connection.answered(2))[1]?.status))
  expect(new Set(statuses)).toEqual(new Set([400]))
})

test('health is exactly ok and the name with the version', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  const response = await fetch(`${agent.url}/health`)
  expect(await response.json()).toEqual({ ok: true, agent: expect.stringMatching(/^market-agent \d+\.\d+\.\d+$/) })
})

test('operations names every operation with a summary, its maturity and its input as JSON Schema', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  const response = await fetch(`${agent.url}/operations`)
  const { ok, operations } = (await response.json()) as {
    ok: boolean
    operations: { name: string; summary: string; maturity: string; input: unknown }[]
  }
  expect(ok).toBe(true)
  expect(operations.map(({ name }) => name)).toEqual([
    'character.link',
    'market.register',
    'market.adjust-stock',
    'market.withdraw',
    'market.eligibility',
    'transaction.create',
    'transaction.get',
    'transaction.delivery',
    'transaction.delivery-failure',
    'market.register.envelope',
    'transaction.create.envelope',
    'webhook.verify',
    'orders.open',
    'orders.take',
  ])
  for (const { summary, maturity, input } of operations) {
    expect(maturity).toBe('ready')
    expect(summary).toMatch(/^[A-Z][^\n]+\.$/)
    expect(input).toMatchObject({ type: 'object', properties: expect.any(Object) })
  }
})

test('no header that a browser sends passes, whatever other headers there are', () => {
  const name = fc.constantFrom('Origin', 'ORIGIN', 'Sec-Fetch-Site', 'sec-fetch-site')
  const value = fc.string().filter((text) => text !== 'none')
  fc.assert(
    fc.property(name, value, fc.nat(3), (header, text, at) => {
      const rawHeaders = ['Host', '127.0.0.1', 'Accept', '*/*', 'Content-Type', 'application/json']
      rawHeaders.splice(at * 2, 0, header, text)
      return guard({ method: 'POST', target: '/call', rawHeaders }, undefined).ok === false
    }),
  )
})
