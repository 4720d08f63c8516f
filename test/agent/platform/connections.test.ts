import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

const tls = (file: string) => readFileSync(join(import.meta.dirname, '..', 'fixtures', 'tls', file), 'utf8')

/** Answers every call as its contract wants, over TLS with a certificate of the private CA. */
async function startTlsPlatform(): Promise<{ port: number; requests: string[] } & Disposable> {
  const requests: string[] = []
  const server = createHttpsServer({ key: tls('server-key.pem'), cert: tls('server.pem') }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.end(
      request.method === 'PUT'
        ? ''
        : goodBodies[request.method === 'GET' ? 'market.eligibility' : 'transaction.create'],
    )
  })
  return { port: await listening(server), requests, [Symbol.dispose]: () => closing(server) }
}

/** An HTTP proxy that knows one name and notes what it is asked to reach. */
async function startProxy(status = 200): Promise<{ url: string; asked: string[] } & Disposable> {
  const asked: string[] = []
  const server = createHttpServer()
  server.on('connect', (request, client) => {
    asked.push(request.url ?? '')
    client.on('error', () => client.destroy())
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const upstream = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
  })
  const port = await listening(server)
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.dispose]: () => closing(server) }
}

/** Takes connections. Neither TLS nor CONNECT is ever answered. */
async function startSilent(): Promise<{ port: number } & Disposable> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => undefined).resume())
  })
  const port = await listening(server)
  return {
    port,
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function listening(server: TcpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function closing(server: Server): void {
  server.close()
  server.closeAllConnections()
}

const each = [
  ['market.eligibility', 'safe'],
  ['market.adjust-stock', 'idempotent'],
  ['transaction.create', 'once'],
] as const

test('calls of every class that follow each other at once share a connection', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  for (const [operation] of [...each, ...each]) {
    platform.steps.push({ status: 200, body: operation === 'market.adjust-stock' ? '' : (goodBodies[operation] ?? '') })
    expect(await agent.call(operation, goodInputs[operation])).toMatchObject({ ok: true })
  }
  expect(platform.seen.map(({ connection }) => connection)).toEqual([1, 1, 1, 1, 1, 1])
})

test('after a pause a call uses a connection that was opened meanwhile, and no old one', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 200, body: goodBodies['transaction.create'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  await agent.call('transaction.create', goodInputs['transaction.create'])
  agent.clock.advance(1_000)
  await vi.waitFor(() => expect(platform.connections).toBe(2))
  await agent.clock.nextTurn()
  await agent.call('transaction.create', goodInputs['transaction.create'])
  expect(platform.seen.map(({ connection }) => connection)).toEqual([1, 2])
})

test('a server that closes its idle connections costs a once call nothing', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  for (let n = 0; n < 20; n++) {
    platform.steps.push({ status: 200 }, { status: 200, body: goodBodies['transaction.create'] ?? '' })
    await agent.call('market.adjust-stock', { itemRef: `i-${n}`, observedQuantity: n })
    await platform.stop()
    await platform.listen()
    expect(await agent.call('transaction.create', goodInputs['transaction.create'])).toMatchObject({ ok: true })
  }
})

for (const [operation, retryClass] of each) {
  test(`a private CA is trusted when it is configured, for ${retryClass} calls`, async () => {
    using platform = await startTlsPlatform()
    await using agent = await startTestAgent(`https://127.0.0.1:${platform.port}`, { extraCa: tls('ca.pem') })
    expect(await agent.call(operation, goodInputs[operation])).toMatchObject({ ok: true })
  })

  test(`a certificate of an unknown CA is refused before anything is sent, for ${retryClass} calls`, async () => {
    using platform = await startTlsPlatform()
    await using agent = await startTestAgent(`https://127.0.0.1:${platform.port}`)
    expect(await agent.call(operation, goodInputs[operation])).toEqual({
      ok: false,
      status: 503,
      code: 'NOT_REACHED',
      message: expect.any(String),
    })
    expect(platform.requests).toEqual([])
    expect(JSON.stringify(agent.logLines())).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED/)
  })

  test(`a proxy carries ${retryClass} calls through a tunnel`, async () => {
    using platform = await startTlsPlatform()
    using proxy = await startProxy()
    const address = `api.market.test:${platform.port}`
    await using agent = await startTestAgent(`https://${address}`, { extraCa: tls('ca.pem'), httpsProxy: proxy.url })
    for (let n = 0; n < 2; n++) expect(await agent.call(operation, goodInputs[operation])).toMatchObject({ ok: true })
    expect(proxy.asked).toEqual([address])
  })

  test(`a ${retryClass} call that the proxy refuses to carry was not sent`, async () => {
    using platform = await startTlsPlatform()
    using proxy = await startProxy(403)
    await using agent = await startTestAgent(`https://api.market.test:${platform.port}`, {
      extraCa: tls('ca.pem'),
      httpsProxy: proxy.url,
    })
    expect(await agent.call(operation, goodInputs[operation])).toEqual({
      ok: false,
      status: 503,
      code: 'NOT_REACHED',
      message: expect.any(String),
    })
    expect(proxy.asked.length).toBeGreaterThan(2)
    expect(platform.requests).toEqual([])
  })
}

test('a host in NO_PROXY is reached directly', async () => {
  using platform = await startTlsPlatform()
  using proxy = await startProxy()
  const overrides = { extraCa: tls('ca.pem'), httpsProxy: proxy.url, noProxy: '127.0.0.1' }
  await using agent = await startTestAgent(`https://127.0.0.1:${platform.port}`, overrides)
  expect(await agent.call('market.eligibility', { characterRef: 'c' })).toMatchObject({ ok: true })
  expect(proxy.asked).toEqual([])
})

for (const what of ['a connection', 'a tunnel'] as const) {
  // With the usual 10 s for each attempt it would take 40 s.
  test(`${what} that is not made within SERVICE_ATTEMPT_TIMEOUT_MS is given up`, { timeout: 30_000 }, async () => {
    using silent = await startSilent()
    const address = `127.0.0.1:${silent.port}`
    const way =
      what === 'a tunnel'
        ? { url: 'https://api.market.test', httpsProxy: `http://${address}` }
        : { url: `https://${address}`, httpsProxy: undefined }
    const limits = { attemptTimeoutMs: 300, callDeadlineMs: 1_000 }
    // The clock of the agent stands still, so nothing else ends an attempt.
    await using agent = await startTestAgent(way.url, { ...limits, httpsProxy: way.httpsProxy })
    expect(await agent.call('market.eligibility', goodInputs['market.eligibility'])).toMatchObject({ status: 503 })
    expect(JSON.stringify(agent.logLines())).toMatch(/UND_ERR_CONNECT_TIMEOUT|no answer within 300 ms/)
  })
}

test('an answer that never ends is not read to its end', async () => {
  await using platform = await ScriptedPlatform.start()
  platform.otherwise = { status: 200, body: `{"data":"${'x'.repeat(2_000_000)}"}` }
  await using agent = await startTestAgent(platform.url)
  expect(await agent.call('transaction.create', goodInputs['transaction.create'])).toMatchObject({
    ok: false,
    status: 504,
    uncertain: true,
  })
})
