import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import type { Check } from '../../agent/check/check.ts'
import { type CertificateAuthority, certificateAuthority } from '../agent/fixtures/certificates.ts'
import { checkSetup, type Settings } from '../agent/fixtures/check-setup.ts'
import { goodBodies } from '../agent/fixtures/test-agent.ts'
import { sharedPrivateKey, startStub } from '../platform-stub/fixtures/stub.ts'

const timeout = 120_000
const way = ['name', 'tcp', 'proxy', 'tls', 'address', 'clock', 'credentials']

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}

/** The checks of the way to the platform, of an agent that nothing else is wrong with. */
async function wayChecks(settings: Settings, signingKey = sharedPrivateKey): Promise<readonly Check[]> {
  using ready = checkSetup()
  writeFileSync(ready.path('key.pem'), signingKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const checks = await ready.online(settings)
  expect(checks.filter(({ name, ok }) => ok === false && !way.includes(name))).toEqual([])
  return checks.filter(({ name }) => way.includes(name))
}

/** The only stage that is wrong. The stages before it passed, and those after it say that they were not reached. */
async function failingStage(settings: Settings): Promise<Check | undefined> {
  const checks = await wayChecks(settings)
  expect(checks.map(({ name }) => name)).toEqual(way)
  const at = checks.findIndex(({ ok }) => ok === false)
  expect(checks.slice(0, at).every(({ ok, message }) => ok || message.startsWith('left to the proxy'))).toBe(true)
  expect(checks.slice(at + 1).map(({ ok, message }) => [ok, message])).toEqual(
    checks.slice(at + 1).map(() => [null, `not reached, because of ${checks[at]?.name}`]),
  )
  return checks[at]
}

async function setupStub() {
  const stub = await startStub()
  const { apiKey, kid } = await stub.gameServer()
  const settings = { SERVICE_BASE_URL: `${stub.url}/v1`, SERVICE_API_KEY: apiKey, SERVICE_SIGNING_KID: kid }
  return { stub, settings, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() }
}

test('where calls go through every stage passes, and the platform saw one signed call that changes nothing', {
  timeout,
}, async () => {
  await using ready = await setupStub()
  const checks = await wayChecks(ready.settings)
  expect(checks.map(({ name, ok, cure }) => [name, ok, cure])).toEqual(way.map((name) => [name, true, null]))
  const { data } = await ready.stub.request('GET', '/stub/requests')
  const routes = (data as { method: string; path: string; status: number }[]).map((request) => [
    request.method,
    request.status,
  ])
  expect(routes).toEqual([
    ['GET', 200],
    ['GET', 401],
  ])
})

test('a wrong API key is a fault of the credentials, with the words of the platform', { timeout }, async () => {
  await using ready = await setupStub()
  expect(await failingStage({ ...ready.settings, SERVICE_API_KEY: 'a-wrong-key' })).toMatchObject({
    name: 'credentials',
    message: expect.stringMatching(/HTTP 401: ".+"/),
    cure: expect.stringContaining('SERVICE_API_KEY'),
  })
})

test('a clock that is off by ten minutes is a warning, because the agent corrects it', { timeout }, async () => {
  await using ready = await setupStub()
  await ready.stub.advance(600)
  const checks = await wayChecks(ready.settings)
  expect(checks.every(({ ok }) => ok)).toBe(true)
  expect(checks.find(({ name }) => name === 'clock')).toMatchObject({
    ok: true,
    message: expect.stringMatching(/is \d+ s behind /),
    cure: expect.stringContaining('timedatectl'),
  })
})

test('a wrong base path is a fault of the address', { timeout }, async () => {
  await using ready = await setupStub()
  expect(await failingStage({ ...ready.settings, SERVICE_BASE_URL: `${ready.stub.url}/other/v1` })).toMatchObject({
    name: 'address',
    cure: expect.stringContaining('SERVICE_BASE_URL'),
  })
})

test('a name without an address, and a closed port, have different messages', { timeout }, async () => {
  // No resolver is asked about a label of more than 63 letters.
  const name = `${'a'.repeat(64)}.invalid`
  expect(await failingStage({ SERVICE_BASE_URL: `https://${name}` })).toMatchObject({
    name: 'name',
    cure: expect.stringContaining(`nslookup ${name}`),
  })
  expect(await failingStage({ SERVICE_BASE_URL: 'http://127.0.0.77:9' })).toMatchObject({
    name: 'tcp',
    message: expect.stringContaining('ECONNREFUSED'),
  })
})

test('a dead proxy and one that refuses are faults of the proxy', { timeout }, async () => {
  const base = { SERVICE_BASE_URL: 'https://api.market.test/v1' }
  expect(await failingStage({ ...base, HTTPS_PROXY: 'http://127.0.0.77:9' })).toMatchObject({
    name: 'proxy',
    message: expect.stringContaining('cannot be reached'),
  })
  await using refusing = await listen(
    createHttpServer().on('connect', (_request, socket) => void socket.end('HTTP/1.1 403 No\r\n\r\n')),
  )
  expect(await failingStage({ ...base, HTTPS_PROXY: `http://127.0.0.1:${refusing.port}` })).toMatchObject({
    name: 'proxy',
    message: expect.stringContaining('HTTP 403'),
  })
})

test('a certificate of an unknown issuer is wrong until SERVICE_CA_FILE names the issuer', { timeout }, async () => {
  using authority: CertificateAuthority = certificateAuthority('Unheard-of Root')
  const answer = createHttpsServer(authority.issue('IP:127.0.0.1'), (_request, response) =>
    response.end(goodBodies['market.eligibility']),
  )
  await using platform = await listen(answer)
  const base = { SERVICE_BASE_URL: `https://127.0.0.1:${platform.port}/v1` }
  expect(await failingStage(base)).toMatchObject({ name: 'tls', message: expect.stringContaining('Unheard-of Root') })
  // Node would trust every certificate.
  const trusting = { ...base, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  expect(await failingStage(trusting)).toMatchObject({ name: 'tls' })
  using files = checkSetup()
  writeFileSync(files.path('ca.pem'), authority.ca)
  const checks = await wayChecks({ ...base, SERVICE_CA_FILE: files.path('ca.pem') })
  expect(checks.find(({ name }) => name === 'tls')).toMatchObject({ ok: true })
  answer.closeAllConnections()
})

test('what is not HTTP is a fault of the address', { timeout }, async () => {
  await using other = await listen(
    createServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end('SSH-2.0\r\n'),
    ),
  )
  expect(await failingStage({ SERVICE_BASE_URL: `http://127.0.0.1:${other.port}` })).toMatchObject({ name: 'address' })
})
