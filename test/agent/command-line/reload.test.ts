import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, randomUUID, verify } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sealEnvelope } from '../../../contract/envelope/seal.ts'
import { keepSecret } from '../../outputs/outputs.ts'
import { type AgentProcess, spawnAgent } from '../fixtures/agent-process.ts'
import { commandOutput } from '../fixtures/command-output.ts'
import { order } from '../fixtures/events.ts'
import { type Answer, goodBodies } from '../fixtures/test-agent.ts'

const timeout = 120_000

const newPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const ownKeys = { 'kid-1': newPair(), 'kid-2': newPair() } as const
type Kid = keyof typeof ownKeys
const platformKeys = { 'platform-1': newPair(), 'platform-2': newPair() } as const

interface PlatformRequest {
  readonly kid: Kid
  readonly path: string
}

/** A platform that knows both signing keys, and answers when the test says so. */
async function startPlatform() {
  const requests: PlatformRequest[] = []
  let waiting: (() => void)[] = []
  const platform = {
    requests,
    url: '',
    /** The status of the answer, once it may come. */
    reply: async (_request: PlatformRequest): Promise<number> => 200,
    /** Resolves when that many requests have arrived in all. */
    async arrived(count: number) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const [header = '', , signature = ''] = String(incoming.headers['x-platform-signature']).split('.')
    if (signature === '') return void response.writeHead(401).end('{"message":"Envie a assinatura."}')
    const kid = JSON.parse(Buffer.from(header, 'base64url').toString()).kid as Kid
    const input = Buffer.from(`${header}.${Buffer.concat(chunks).toString('base64url')}`)
    const isValid = verify('sha256', input, ownKeys[kid].publicKey, Buffer.from(signature, 'base64url'))
    const request = { kid, path: incoming.url ?? '' }
    requests.push(request)
    for (const resolve of waiting.splice(0)) resolve()
    waiting = []
    const status = isValid ? await platform.reply(request) : 401
    const body = goodBodies[incoming.method === 'GET' ? 'market.eligibility' : 'character.link']
    response.writeHead(status).end(status === 200 ? body : '{"message":"Agora não."}')
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  platform.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return platform
}

const linesIn = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const privatePem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' })
const publicPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' })

/** The files of an agent. Everything is in its configuration file, so that a reload can change it. */
function agentFiles(platformUrl: string) {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-reload-'))
  const path = (name: string) => join(dir, name)
  for (const [kid, { privateKey }] of Object.entries(ownKeys))
    writeFileSync(path(kid), privatePem(privateKey), { mode: 0o600 })
  for (const [kid, { publicKey }] of Object.entries(platformKeys)) writeFileSync(path(kid), publicPem(publicKey))
  const settings = {
    SERVICE_BASE_URL: platformUrl,
    SERVICE_API_KEY: keepSecret(`api-key-${randomUUID()}`),
    SERVICE_SIGNING_KEY_FILE: path('kid-1'),
    SERVICE_SIGNING_KID: 'kid-1',
    SERVICE_AGENT_TOKEN: keepSecret(`token-${randomUUID()}`),
    SERVICE_AGENT_PORT: '0',
    SERVICE_STATE_DIR: path('state'),
    SERVICE_PLATFORM_KID: 'platform-1',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: path('platform-1'),
    // No attempt ends before its answer, however slow this host is.
    SERVICE_ATTEMPT_TIMEOUT_MS: '300000',
    SERVICE_CALL_DEADLINE_MS: '3600000',
  }
  const config = path('agent.env')
  const write = (changes: Record<string, string> = {}) => {
    const lines = Object.entries({ ...settings, ...changes }).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(config, lines.join(''), { mode: 0o600 })
  }
  write()
  const rotated = {
    SERVICE_SIGNING_KEY_FILE: path('kid-2'),
    SERVICE_SIGNING_KID: 'kid-2',
    SERVICE_AGENT_TOKEN: keepSecret(`token-${randomUUID()}`),
    SERVICE_PLATFORM_KID: 'platform-1,platform-2',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: `${path('platform-1')},${path('platform-2')}`,
  }
  const home = {
    dir,
    stateDir: settings.SERVICE_STATE_DIR,
    spoolDir: path('spool'),
    publicKey: ownKeys['kid-1'].publicKey,
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: join(tmpdir(), 'market-agent-compile-cache') },
  }
  return {
    path,
    write,
    settings,
    rotated,
    run: (...args: string[]) =>
      spawnAgent({ ...home, [Symbol.dispose]: () => undefined }, { args: [...args, '--config', config] }),
    /** `market-agent reload`, as an operator runs it. */
    reload: async (agent: AgentProcess) => {
      const env = { ...home.env, SERVICE_AGENT_PORT: new URL(await agent.listening).port }
      return commandOutput(['reload', '--config', config], env)
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

async function call(
  agent: AgentProcess,
  token: string,
  operation: string,
  input: object,
  id?: string,
): Promise<Answer> {
  const response = await fetch(`${await agent.listening}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ operation, input, id }),
  })
  return (await response.json()) as Answer
}

test('of 200 calls in flight while keys and token change, none is lost and none refused', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  await using agent = files.run()
  await agent.listening
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  platform.reply = async ({ kid, path }) => {
    if (kid === 'kid-2') return 200
    await released
    return path.endsWith('/again') ? 503 : 200
  }
  const [before, after] = [files.settings.SERVICE_AGENT_TOKEN, files.rotated.SERVICE_AGENT_TOKEN]
  const ask = (token: string, characterRef: string) => call(agent, token, 'market.eligibility', { characterRef })
  const answers = Array.from({ length: 100 }, (_, n) => [
    ask(before, n < 10 ? 'again' : `c-${n}`),
    call(agent, before, 'character.link', { characterRef: `c-${n}` }, `link-${n}`),
  ]).flat()
  await platform.arrived(200)

  files.write(files.rotated)
  expect(await files.reload(agent)).toEqual({
    code: 0,
    stdout:
      'Reloaded. Changed: SERVICE_SIGNING_KEY_FILE, SERVICE_SIGNING_KID, SERVICE_PLATFORM_KID, SERVICE_AGENT_TOKEN\n',
    stderr: '',
  })
  expect(await ask(after, 'new')).toMatchObject({ ok: true })
  expect(await ask(before, 'old')).toMatchObject({ ok: false, status: 401 })
  expect(platform.requests).toHaveLength(201)
  expect(platform.requests.filter(({ kid }) => kid === 'kid-1')).toHaveLength(200)

  release()
  expect((await Promise.all(answers)).filter(({ ok }) => !ok)).toEqual([])
  // Ten were asked to come again, and came with the key that is in use now.
  expect(platform.requests.slice(201)).toEqual(
    Array.from({ length: 10 }, () => ({ kid: 'kid-2', path: '/v1/api/market/eligibility/again' })),
  )
})

test('a standby that takes over sends nothing with the keys that it read before a reload', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  await using agent = files.run()
  await agent.listening
  await using standby = files.run('--standby')
  await standby.printed('"msg":"standing by"')
  files.write(files.rotated)
  expect((await files.reload(agent)).code).toBe(0)
  process.kill(agent.pid, 'SIGKILL')
  await standby.listening
  const token = files.rotated.SERVICE_AGENT_TOKEN
  expect(await call(standby, token, 'market.eligibility', { characterRef: 'Ana' })).toMatchObject({ ok: true })
  expect(platform.requests.map(({ kid }) => kid)).toEqual(['kid-2'])
})

test('during a rotation webhooks of both keys of the platform are valid', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  await using agent = files.run()
  await agent.listening
  const body = JSON.stringify(order)
  const isHeld = async (token: string, kid: keyof typeof platformKeys) => {
    const nowS = Math.floor(Date.now() / 1000)
    const header = { alg: 'RS256', kid, jti: randomUUID(), iat: nowS, exp: nowS + 300 } as const
    const signature = await sealEnvelope(header, Buffer.from(body), platformKeys[kid].privateKey)
    return (await call(agent, token, 'webhook.verify', { signature, body })).ok
  }
  const { SERVICE_AGENT_TOKEN: token } = files.settings
  expect([await isHeld(token, 'platform-1'), await isHeld(token, 'platform-2')]).toEqual([true, false])
  files.write({ ...files.rotated, SERVICE_AGENT_TOKEN: token })
  process.kill(agent.pid, 'SIGHUP')
  await agent.printed('"msg":"reloaded"')
  expect([await isHeld(token, 'platform-1'), await isHeld(token, 'platform-2')]).toEqual([true, true])
})

test.skipIf(process.platform === 'win32')(
  'a reload does not wait for a pipe in the place of a file',
  { timeout },
  async () => {
    await using platform = await startPlatform()
    using files = agentFiles(platform.url)
    await using agent = files.run()
    await agent.listening
    execFileSync('mkfifo', [files.path('pipe')])
    files.write({ ...files.settings, SERVICE_SIGNING_KEY_FILE: files.path('pipe') })
    const { code, stderr } = await files.reload(agent)
    expect(code).toBe(1)
    expect(stderr).toMatch(/SERVICE_SIGNING_KEY_FILE: it is a pipe, which can be read only once/)
  },
)

test('a bad configuration is refused with all reasons, and the agent continues with the one it has', {
  timeout,
}, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  await using agent = files.run()
  await agent.listening
  const reasons = [
    expect.stringMatching(/^SERVICE_SIGNING_KEY_FILE: no such file: .*Example: /),
    expect.stringMatching(/^SERVICE_LOG_LEVEL: not one of trace, /),
  ]
  files.write({ ...files.rotated, SERVICE_SIGNING_KEY_FILE: files.path('gone'), SERVICE_LOG_LEVEL: 'loud' })
  const { code, stdout, stderr } = await files.reload(agent)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.trim().split('\n')).toEqual(['Nothing is reloaded:', ...reasons])
  await agent.printed('"msg":"reload refused: nothing has changed"')
  const line =
    agent
      .output()
      .split('\n')
      .find((text) => text.includes('reload refused')) ?? ''
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', errors: reasons })

  files.write({ ...files.rotated, SERVICE_STATE_DIR: files.path('other') })
  expect(await files.reload(agent)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SERVICE_STATE_DIR: cannot change while the agent runs'),
  })
  const answer = await call(agent, files.settings.SERVICE_AGENT_TOKEN, 'market.eligibility', { characterRef: 'c' })
  expect(answer).toMatchObject({ ok: true })
  expect(platform.requests.map(({ kid }) => kid)).toEqual(['kid-1'])
})

test('a reload wants the token in use or the one that is to come', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  await using agent = files.run()
  const url = `${await agent.listening}/reload`
  const reload = async (headers: Record<string, string>) => (await fetch(url, { method: 'POST', headers })).status
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  expect(await reload({})).toBe(401)
  expect(await reload(bearer(files.rotated.SERVICE_AGENT_TOKEN))).toBe(401)
  expect(await reload({ ...bearer(files.settings.SERVICE_AGENT_TOKEN), origin: 'https://evil.example' })).toBe(403)
  expect((await fetch(url, { headers: bearer(files.settings.SERVICE_AGENT_TOKEN) })).status).toBe(405)
  expect(await reload(bearer(files.settings.SERVICE_AGENT_TOKEN))).toBe(200)
  files.write(files.rotated)
  expect(await reload({})).toBe(401)
  expect(await reload(bearer(files.rotated.SERVICE_AGENT_TOKEN))).toBe(200)
  expect(await reload(bearer(files.settings.SERVICE_AGENT_TOKEN))).toBe(401)
})

test('a file that cannot be read opens no door: the token in use still counts', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  await using agent = files.run()
  const url = `${await agent.listening}/reload`
  rmSync(files.path('agent.env'))
  expect((await fetch(url, { method: 'POST' })).status).toBe(401)
})

test('SIGHUP continues in a new log file at once', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  const log = files.path('agent.log')
  files.write({ SERVICE_LOG_FILE: log })
  await using agent = files.run()
  await expect.poll(() => linesIn(log), { timeout: 60_000 }).toContain('"msg":"listening"')
  renameSync(log, `${log}.old`)
  process.kill(agent.pid, 'SIGHUP')
  await expect.poll(() => linesIn(log), { timeout: 60_000 }).toContain('"msg":"reloaded"')
  expect(linesIn(`${log}.old`)).not.toContain('reloaded')
})

test('a new log level counts from the reload on', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  const log = files.path('agent.log')
  files.write({ SERVICE_LOG_FILE: log })
  await using agent = files.run()
  const urlIn = () => /"url":"(http:[^"]+)","msg":"listening"/.exec(linesIn(log))?.[1]
  await expect.poll(urlIn, { timeout: 60_000 }).toBeDefined()
  const post = (path: string, body?: string) =>
    fetch(`${urlIn()}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${files.settings.SERVICE_AGENT_TOKEN}` },
      ...(body !== undefined && { body: Buffer.from(body) }),
    })
  const reloadAt = async (level: string) => {
    files.write({ SERVICE_LOG_FILE: log, SERVICE_LOG_LEVEL: level })
    expect(await (await post('/reload')).json()).toEqual({ ok: true, changed: ['SERVICE_LOG_LEVEL'] })
  }
  const callOnce = async (id: string) =>
    (await post('/call', JSON.stringify({ operation: 'market.eligibility', input: { characterRef: 'c' }, id }))).json()
  await reloadAt('error')
  await callOnce('quiet')
  await reloadAt('info')
  await callOnce('logged')
  await expect.poll(() => linesIn(log), { timeout: 60_000 }).toContain('"id":"logged"')
  expect(linesIn(log)).not.toContain('"id":"quiet"')
  expect(agent.output()).toBe('')
})

test('an agent in standby takes over with what it has reloaded', { timeout }, async () => {
  await using platform = await startPlatform()
  using files = agentFiles(platform.url)
  await using first = files.run()
  await first.listening
  await using second = files.run('--standby')
  await second.printed('"msg":"standing by"')
  files.write(files.rotated)
  process.kill(second.pid, 'SIGHUP')
  await second.printed('"msg":"reloaded"')
  await first.kill()
  const { SERVICE_AGENT_TOKEN: token } = files.rotated
  expect(await call(second, token, 'market.eligibility', { characterRef: 'c' })).toMatchObject({ ok: true })
  expect(platform.requests.map(({ kid }) => kid)).toEqual(['kid-2'])
})
