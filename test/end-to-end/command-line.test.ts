import { type ExecFileException, execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram } from '../../scripts/child-program.ts'
import { binaryPrograms } from '../../scripts/programs.ts'
import { keepSecret, outputFile } from '../outputs/outputs.ts'
import { testKeysOf } from '../vectors/test-keys.ts'

const { privateKey } = testKeysOf('game-server')
const eligibility = { allowed: true, linked: true, banned: false, selling: { allowed: true, blockers: [] } }

/** A directory, a platform that knows one character, and the settings of an agent for it. */
async function setup() {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-cli-'))
  const platform = createServer((request, response) => {
    if (request.url?.endsWith('/known')) return response.end(JSON.stringify({ data: eligibility }))
    return response.writeHead(404).end('{"message":"Personagem não encontrado."}')
  })
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve))
  writeFileSync(join(dir, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const env = {
    SERVICE_BASE_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
    SERVICE_API_KEY: keepSecret('key-of-the-command-line-tests'),
    SERVICE_SIGNING_KEY_FILE: join(dir, 'key.pem'),
    SERVICE_SIGNING_KID: 'kid-1',
    SERVICE_AGENT_PORT: '0',
    SERVICE_AGENT_TOKEN: keepSecret('token-of-the-command-line-tests'),
    SERVICE_STATE_DIR: join(dir, 'state'),
  }
  return {
    dir,
    env,
    [Symbol.dispose]() {
      platform.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** As it is shipped. The tests of `test/agent/` run the source. */
const { agent } = binaryPrograms

/** Runs a command to its end. */
function ends(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  input?: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [file = '', ...args] = command
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env: { PATH: process.env['PATH'], ...env } },
      (error: ExecFileException | null, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

test(`call and operations talk to the running daemon, and their exit codes say how it went`, async () => {
  using ready = await setup()
  await using daemon = await startProgram({
    name: 'market-agent',
    command: [...agent, 'run'],
    env: ready.env,
    logFile: outputFile('market-agent'),
  })
  const env = { ...ready.env, SERVICE_AGENT_PORT: new URL(daemon.url).port }
  const call = (...args: string[]) => ends([...agent, 'call', ...args], env)

  expect(await call('market.eligibility', '--input', '{"characterRef":"known"}', '--id', 'e-1')).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ ok: true, id: 'e-1', data: eligibility })}\n`,
    stderr: '',
  })
  writeFileSync(join(ready.dir, 'input.json'), '{"characterRef":"nobody"}')
  expect(await call('market.eligibility', '--input-file', join(ready.dir, 'input.json'))).toMatchObject({
    code: 1,
    stdout: '{"ok":false,"message":"Personagem não encontrado.","status":404}\n',
  })
  writeFileSync(join(ready.dir, 'bom.json'), '\uFEFF{"characterRef":"known"}')
  expect(await call('market.eligibility', '--input-file', join(ready.dir, 'bom.json'))).toMatchObject({ code: 0 })
  writeFileSync(join(ready.dir, 'latin-1.json'), Buffer.from('{"characterRef":"João"}', 'latin1'))
  expect(await call('market.eligibility', '--input-file', join(ready.dir, 'latin-1.json'))).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('latin-1.json is not UTF-8'),
  })
  expect(await ends([...agent, 'call', 'market.eligibility', '-'], env, '{"characterRef":"known"}')).toMatchObject({
    code: 0,
  })
  expect(await call('market.sell')).toMatchObject({ code: 2, stdout: expect.stringContaining('market.sell') })
  expect(await call()).toMatchObject({ code: 2 })

  const listed = await ends([...agent, 'operations'], env)
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/market\.eligibility\n {4}Says whether/) })
  const json = await ends([...agent, 'operations', '--json'], env)
  expect(JSON.parse(json.stdout).operations).toHaveLength(14)
  expect(await ends([...agent, 'operations'], { ...env, SERVICE_AGENT_TOKEN: 'another' })).toMatchObject({ code: 1 })
  const withoutBridge = { code: 1, stdout: expect.stringContaining('SERVICE_WEBHOOK_PORT') }
  expect(await ends([...agent, 'orders', '--check-now'], env)).toMatchObject(withoutBridge)
})

test(`a new key is made, checked, and taken by a reload`, async () => {
  using ready = await setup()
  const keys = join(ready.dir, 'new')
  expect(await ends([...agent, 'keygen', '--out', keys, '--kid', 'kid-2'], {})).toMatchObject({ code: 0, stderr: '' })
  const config = join(ready.dir, 'agent.env')
  const write = (settings: Record<string, string>) =>
    writeFileSync(
      config,
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
      { mode: 0o600 },
    )
  write(ready.env)
  await using daemon = await startProgram({
    name: 'market-agent',
    command: [...agent, 'run', '--config', config],
    env: {},
    logFile: outputFile('market-agent'),
  })
  const rotated = { SERVICE_SIGNING_KEY_FILE: join(keys, 'signing-key.pem'), SERVICE_SIGNING_KID: 'kid-2' }
  write({ ...ready.env, ...rotated })
  const port = { SERVICE_AGENT_PORT: new URL(daemon.url).port }
  const checked = await ends([...agent, 'check', '--offline', '--config', config], port)
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('kid kid-2, fingerprint') })
  expect(await ends([...agent, 'reload', '--config', config], port)).toEqual({
    code: 0,
    stdout: 'Reloaded. Changed: SERVICE_SIGNING_KEY_FILE, SERVICE_SIGNING_KID\n',
    stderr: '',
  })
  const online = await ends([...agent, 'check', '--json', '--config', config], port)
  expect(JSON.parse(online.stdout).checks).toContainEqual({
    name: 'tls',
    ok: true,
    message: expect.any(String),
    cure: null,
  })
})

test(`an input that is not a JSON object ends a call with 2, and English says what is wrong`, async () => {
  const problems = {
    '{oops': 'is not valid JSON at line 1, column 2',
    '[]': 'is not a JSON object',
    '{"a":1,"a":2}': 'has the name "a" twice',
    '{"a":9007199254740993}': '9007199254740993, which cannot be read exactly',
    '{"a":"\\ud800"}': 'half a Unicode character',
    [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`]: 'nested too deeply',
  }
  const ended = await Promise.all(
    Object.keys(problems).map((input) => ends([...agent, 'call', 'market.eligibility', '--input', input], {})),
  )
  expect(ended).toEqual(
    Object.values(problems).map((problem) => ({ code: 2, stdout: '', stderr: expect.stringContaining(problem) })),
  )
  expect(ended.map(({ stderr }) => stderr).join('')).not.toMatch(/[à-ú]/)
})

test(`with a spool the heartbeat is written, and no other user may read the state directory`, async () => {
  using ready = await setup()
  const env = { ...ready.env, SERVICE_SPOOL_DIR: join(ready.dir, 'spool') }
  const command = [...agent, 'run']
  await using daemon = await startProgram({ name: 'market-agent', command, env, logFile: outputFile('market-agent') })
  const heartbeat = join(ready.dir, 'spool', 'agent.json')
  await expect.poll(() => existsSync(heartbeat), { timeout: 60_000 }).toBe(true)
  expect(JSON.parse(readFileSync(heartbeat, 'utf8'))).toEqual({
    agent: expect.stringMatching(/^market-agent \d/),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    ready: false,
    reasons: [expect.stringContaining('no answer from the platform to a signed call yet: ')],
    events: [],
  })
  expect(statSync(join(ready.dir, 'state')).mode & 0o777).toBe(0o700)
  expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
})

test(`without a daemon a call ends with 1 and says how to start one`, async () => {
  const ended = await ends([...agent, 'call', 'market.eligibility'], { SERVICE_AGENT_PORT: '1' })
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('market-agent run') })
})

test(`faults of the configuration end the start with 2, a line each`, async () => {
  const ended = await ends([...agent, 'run'], { SERVICE_AGENT_PORT: 'x' })
  expect(ended.code).toBe(2)
  expect(ended.stderr.trim().split('\n')).toHaveLength(5)
  using ready = await setup()
  const unwritable = await ends([...agent, 'run'], { ...ready.env, SERVICE_LOG_FILE: '/no/such/dir/log' })
  expect(unwritable).toMatchObject({ code: 2, stderr: expect.stringContaining('SERVICE_LOG_FILE: cannot write') })
  expect(await ends([...agent, 'run', '--config', '/no/such/file'], {})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('/no/such/file'),
  })
})

test(`a port that is taken ends the start with 2`, async () => {
  using ready = await setup()
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const ended = await ends([...agent, 'run'], { ...ready.env, SERVICE_AGENT_PORT: String(port) })
  expect(ended).toMatchObject({ code: 2, stdout: expect.stringContaining('SERVICE_AGENT_PORT') })
  taken.close()
})

test.each(['SIGTERM', 'SIGINT'] as const)(`%s lets a call under way end, and the exit code is 0`, async (signal) => {
  using ready = await setup()
  let answer: () => void = () => undefined
  const slow = createServer((request, response) => {
    // The question for the platform's time is not signed and may come before the call.
    if (request.headers['x-platform-signature'] === undefined) return void response.writeHead(401).end()
    answer = () => response.end(JSON.stringify({ data: eligibility }))
    arrived()
  })
  let arrived: () => void = () => undefined
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const env = { ...ready.env, SERVICE_BASE_URL: `http://127.0.0.1:${(slow.address() as AddressInfo).port}` }
  const daemon = await startProgram({
    name: 'market-agent',
    command: [...agent, 'run'],
    env,
    logFile: outputFile('market-agent'),
  })
  const answered = fetch(`${daemon.url}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ready.env.SERVICE_AGENT_TOKEN}` },
    body: '{"operation":"market.eligibility","input":{"characterRef":"known"}}',
  })
  await hasArrived
  const ended = new Promise((resolve) => daemon.child.on('exit', resolve))
  daemon.child.kill(signal)
  answer()
  expect(await (await answered).json()).toEqual({ ok: true, data: eligibility })
  expect(await ended).toBe(0)
  slow.close()
})

test(`NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored, and a log line says so`, async () => {
  using ready = await setup()
  const tls = (name: string) => readFileSync(join(import.meta.dirname, '..', 'agent', 'fixtures', 'tls', name))
  const requests: string[] = []
  const stranger = createTlsServer({ key: tls('server-key.pem'), cert: tls('server.pem') }, (request, response) => {
    requests.push(request.url ?? '')
    response.end(JSON.stringify({ data: eligibility }))
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const logFile = outputFile('market-agent')
  const env = {
    ...ready.env,
    SERVICE_BASE_URL: `https://127.0.0.1:${(stranger.address() as AddressInfo).port}`,
    SERVICE_CALL_DEADLINE_MS: '1000',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  }
  await using daemon = await startProgram({ name: 'market-agent', command: [...agent, 'run'], env, logFile })
  const ended = await ends([...agent, 'call', 'market.eligibility', '--input', '{"characterRef":"known"}'], {
    ...ready.env,
    SERVICE_AGENT_PORT: new URL(daemon.url).port,
  })
  expect(JSON.parse(ended.stdout)).toMatchObject({ ok: false, status: 503 })
  expect(requests).toEqual([])
  expect(readFileSync(logFile, 'utf8')).toContain('NODE_TLS_REJECT_UNAUTHORIZED: ignored')
  stranger.close()
})

test('the single file ignores NODE_OPTIONS, and SIGUSR1 opens no inspector', async () => {
  using ready = await setup()
  const env = { ...ready.env, NODE_OPTIONS: '--inspect=127.0.0.1:0 --title=opened' }
  await using daemon = await startProgram({
    name: 'market-agent',
    command: [...agent, 'run'],
    env,
    logFile: outputFile('market-agent'),
  })
  daemon.child.kill('SIGUSR1')
  expect((await fetch(`${daemon.url}/health`)).status).toBe(200)
  await expect(fetch('http://127.0.0.1:9229/json')).rejects.toThrow()
})
