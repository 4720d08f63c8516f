import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CertificateAuthority, certificateAuthority } from '../fixtures/certificates.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, startTestAgent, type TestAgent } from '../fixtures/test-agent.ts'

let authority: CertificateAuthority
beforeAll(() => {
  authority = certificateAuthority('Unheard-of Root')
}, 120_000)
afterAll(() => authority[Symbol.dispose]())

async function listen(server: Server): Promise<{ port: number } & AsyncDisposable> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** Refuses connections. No other test listens at this address, so that none can take the port. */
const closed = '127.0.0.77:9'

function tlsPlatform(options: ServerOptions) {
  return listen(createHttpsServer(options, (_request, response) => void response.end(goodBodies['market.eligibility'])))
}

/** A proxy that answers CONNECT with a status, or opens a tunnel to a port of this host. */
function proxy(answer: { status: number } | { tunnelTo: number }) {
  const server = createHttpServer().on('connect', async (_request, client) => {
    client.on('error', () => client.destroy())
    if ('status' in answer) return void client.end(`HTTP/1.1 ${answer.status} No\r\n\r\n`)
    const { connect } = await import('node:net')
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const upstream = connect(answer.tunnelTo, '127.0.0.1')
    upstream
      .on('error', () => client.destroy())
      .pipe(client)
      .pipe(upstream)
  })
  return listen(server)
}

const ask = (agent: TestAgent) => agent.call('market.eligibility', { characterRef: 'char-1' })

/** The only warning of an agent whose call failed, whatever number of attempts it had. */
async function warningOf(agent: TestAgent) {
  expect(await ask(agent)).toMatchObject({ ok: false })
  const warnings = agent.logLines().filter(({ level }) => level === 'warn')
  expect(warnings).toHaveLength(1)
  return warnings[0]
}

test('a closed port differs from all other problems', async () => {
  await using agent = await startTestAgent(`http://${closed}`)
  expect(await warningOf(agent)).toMatchObject({
    kind: 'tcp',
    problem: expect.stringContaining('ECONNREFUSED'),
    cure: expect.stringContaining('SERVICE_BASE_URL'),
  })
})

test('a name that cannot be resolved is named, with a way to try it by hand', async () => {
  // No resolver is asked about a label of more than 63 letters.
  const name = `${'a'.repeat(64)}.invalid`
  await using agent = await startTestAgent(`https://${name}`)
  expect(await warningOf(agent)).toMatchObject({ kind: 'name', cure: expect.stringContaining(`nslookup ${name}`) })
})

test('a dead proxy is not taken for a dead platform', async () => {
  const httpsProxy = `http://user:a-password@${closed}`
  await using agent = await startTestAgent('https://api.market.test', { httpsProxy })
  expect(await warningOf(agent)).toMatchObject({
    kind: 'proxy',
    problem: `the proxy ${new URL(httpsProxy).host} cannot be reached (ECONNREFUSED)`,
    cure: expect.stringContaining('HTTPS_PROXY'),
  })
  expect(JSON.stringify(agent.logLines())).not.toContain('a-password')
})

test('a proxy that refuses CONNECT differs from a dead one', async () => {
  await using refusing = await proxy({ status: 403 })
  await using agent = await startTestAgent('https://api.market.test', {
    httpsProxy: `http://127.0.0.1:${refusing.port}`,
  })
  expect(await warningOf(agent)).toMatchObject({
    kind: 'connect',
    problem: expect.stringContaining('CONNECT, HTTP 403'),
    cure: expect.stringContaining('allow api.market.test in the proxy'),
  })
})

test('a proxy that asks for a password gets it from HTTPS_PROXY', async () => {
  await using refusing = await proxy({ status: 407 })
  await using agent = await startTestAgent('https://api.market.test', {
    httpsProxy: `http://127.0.0.1:${refusing.port}`,
  })
  expect(await warningOf(agent)).toMatchObject({ kind: 'connect', cure: expect.stringContaining('USER:PASSWORD') })
})

for (const way of ['directly', 'through a proxy'] as const) {
  test(`an unknown issuer is named, with the setting that trusts it, ${way}`, async () => {
    await using platform = await tlsPlatform(authority.issue('IP:127.0.0.1,DNS:api.market.test'))
    await using tunnel = await proxy({ tunnelTo: platform.port })
    await using agent = await (way === 'directly'
      ? startTestAgent(`https://127.0.0.1:${platform.port}`)
      : startTestAgent('https://api.market.test', { httpsProxy: `http://127.0.0.1:${tunnel.port}` }))
    expect(await warningOf(agent)).toMatchObject({
      kind: 'tls-issuer',
      problem: expect.stringContaining('Unheard-of Root'),
      cure: expect.stringContaining('SERVICE_CA_FILE'),
    })
    expect(JSON.stringify(agent.logLines())).not.toContain('--use-system-ca')
  })
}

test('a certificate for another name says for which', async () => {
  await using platform = await tlsPlatform(authority.issue('DNS:other.example'))
  await using agent = await startTestAgent(`https://127.0.0.1:${platform.port}`, { extraCa: authority.ca })
  expect(await warningOf(agent)).toMatchObject({
    kind: 'tls-name',
    problem: expect.stringContaining('DNS:other.example'),
  })
})

test('an expired certificate says since when', async () => {
  await using platform = await tlsPlatform(authority.issue('IP:127.0.0.1', '210203'))
  await using agent = await startTestAgent(`https://127.0.0.1:${platform.port}`, { extraCa: authority.ca })
  expect(await warningOf(agent)).toMatchObject({
    kind: 'tls-expired',
    problem: expect.stringContaining('until 2021-02-03'),
  })
})

test('a server without TLS differs from a closed port', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { fault: 'garbage' }
  await using plain = await listen(
    createServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end('SSH-2.0\r\n'),
    ),
  )
  await using agent = await startTestAgent(`https://127.0.0.1:${plain.port}`)
  expect(await warningOf(agent)).toMatchObject({ kind: 'tls', cure: expect.stringContaining('port') })
  await using other = await startTestAgent(platform.url)
  expect(await warningOf(other)).toMatchObject({ kind: 'http', problem: expect.stringContaining('no HTTP') })
})

for (const [what, body] of [
  ['of another server', '<h1>Not Found</h1>'],
  ['in the interface’s form', '{"message":"Rota inexistente."}'],
] as const) {
  test(`404 ${what} on every call is a wrong address, and leaves the agent not ready`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status: 404, body }
    await using agent = await startTestAgent(`${platform.url}/wrong`)
    await ask(agent)
    expect(await warningOf(agent)).toMatchObject({
      kind: 'path',
      problem: expect.stringContaining(`${platform.url}/wrong/v1`),
      cure: expect.stringContaining('SERVICE_BASE_URL'),
    })
  })
}

test('a 404 after another answer says nothing against the address', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 200, body: goodBodies['market.eligibility'] ?? '' }])
  platform.otherwise = { status: 404, body: '{"message":"Não existe."}' }
  await using agent = await startTestAgent(platform.url)
  for (let n = 0; n < 3; n++) await ask(agent)
  expect(agent.logLines().filter(({ level }) => level === 'warn')).toEqual([])
})

test('a web page in place of the platform differs from a wrong address', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 403, body: '<h1>Blocked by your company</h1>' }
  await using agent = await startTestAgent(platform.url)
  expect(await warningOf(agent)).toMatchObject({ kind: 'http', problem: expect.stringContaining('HTTP 403') })
})

const dateIn = (agent: TestAgent, ms: number) => ({ date: new Date(agent.clock.wallMs() + ms).toUTCString() })
const refusal = '{"message":"A chave de API não é válida."}'

test('a clock that is off and corrected is one warning, and calls go through', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const headers = dateIn(agent, 3_600_000)
  platform.steps.push({ status: 401, headers, body: refusal })
  platform.otherwise = { status: 200, headers, body: goodBodies['market.eligibility'] ?? '' }
  for (let n = 0; n < 3; n++) expect(await ask(agent)).toMatchObject({ ok: true })
  expect(agent.logLines().filter(({ level }) => level === 'warn')).toMatchObject([
    {
      kind: 'clock-corrected',
      problem: expect.stringContaining('s behind'),
      cure: expect.stringContaining('timedatectl'),
    },
  ])
})

test('a clock that cannot be compared is doubted before the credentials are', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 401, body: refusal }
  await using agent = await startTestAgent(platform.url)
  expect(await warningOf(agent)).toMatchObject({ kind: 'clock', cure: expect.stringContaining('SERVICE_API_KEY') })
})

test('a platform whose time jumps from answer to answer cannot be followed', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  for (const ms of [0, 3_600_000, -3_600_000])
    platform.steps.push({ status: 401, headers: dateIn(agent, ms), body: refusal })
  await ask(agent)
  expect(agent.logLines().filter(({ kind }) => kind === 'clock')).toHaveLength(1)
})

test('a refused key is reported with the platform’s words once the clock is excluded, and with no secret', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const token = 'eyJhbGciOiJSUzI1NiJ9..c2lnbmF0dXJlLXNpZ25hdHVyZQ'
  const body = JSON.stringify({ message: `A chave de API não é válida. ${token}` })
  platform.otherwise = { status: 401, headers: dateIn(agent, 0), body }
  const warning = await warningOf(agent)
  expect(warning).toMatchObject({
    kind: 'credentials',
    problem: expect.stringContaining('A chave de API não é válida.'),
    cure: expect.stringContaining('game-server-1'),
  })
  expect(JSON.stringify(warning)).not.toContain(token)
})

test('the end of a problem is one line, and another problem is another warning', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  platform.otherwise = { status: 500, body: '{"message":"Erro."}' }
  for (let n = 0; n < 2; n++) await ask(agent)
  platform.otherwise = { status: 403, body: '<p>' }
  await ask(agent)
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  for (let n = 0; n < 2; n++) await ask(agent)
  const lines = agent.logLines().filter(({ msg }) => msg.startsWith('calls to the platform'))
  expect(lines.map(({ level, kind, msg }) => [level, kind, msg])).toEqual([
    ['warn', 'server-error', 'calls to the platform fail'],
    ['warn', 'http', 'calls to the platform fail'],
    ['info', undefined, 'calls to the platform go through again'],
  ])
})

test('an attempt that began before the last proof takes nothing away from it', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  const slow = agent.call('transaction.create', { itemRef: 'i', quantity: 1, buyerCharacterRef: 'c' })
  await platform.requests(1)
  agent.clock.advance(1)
  expect(await ask(agent)).toMatchObject({ ok: true })
  agent.clock.advance(10_000)
  expect(await slow).toMatchObject({ uncertain: true })
  expect(agent.logLines().filter(({ level }) => level === 'warn')).toEqual([])
})
