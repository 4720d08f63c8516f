import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { keepSecret } from '../../outputs/outputs.ts'
import { run, serve, temporaryFolder } from '../fixtures/process.ts'

test('provision writes what an agent needs, absolute and only for its owner, and never replaces a key', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serve('--memory')
  const out = join(folder.path, 'aurora')
  const args = ['provision', '--url', stub.listening.url, '--name', 'Aurora', '--out', out]
  expect((await run(...args, '--webhook-url', 'http://127.0.0.1:9/webhook')).code).toBe(0)

  expect((await readdir(out)).sort()).toEqual(['agent.env', 'platform-public-key.pem', 'signing-key.pem'])
  const modeOf = async (name: string) => ((await stat(join(out, name))).mode & 0o777).toString(8)
  expect([await modeOf('agent.env'), await modeOf('signing-key.pem')]).toEqual(['600', '600'])
  const key = await readFile(join(out, 'signing-key.pem'), 'utf8')
  expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  const env = await readEnv(out)
  expect(env).toEqual({
    SERVICE_BASE_URL: stub.listening.url,
    SERVICE_API_KEY: expect.stringMatching(/^stub_/),
    SERVICE_SIGNING_KEY_FILE: join(out, 'signing-key.pem'),
    SERVICE_SIGNING_KID: expect.stringMatching(/^game-server-1-/),
    SERVICE_PLATFORM_KID: expect.stringMatching(/^platform-/),
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: join(out, 'platform-public-key.pem'),
  })

  await writeFile(join(out, 'agent.env'), `# mine\nSERVICE_SPOOL_DIR=/spool\nSERVICE_API_KEY=old\n`)
  expect((await run(...args)).code).toBe(0)
  expect(await readFile(join(out, 'signing-key.pem'), 'utf8')).toBe(key)
  const again = await readEnv(out)
  expect(again).toMatchObject({ SERVICE_SPOOL_DIR: '/spool', SERVICE_SIGNING_KID: expect.stringContaining('-2-') })
  expect(again['SERVICE_API_KEY']).not.toBe(env['SERVICE_API_KEY'])
})

test('provision writes the port, the spool and the state directory of the agent, as absolute paths', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serve('--memory')
  const out = join(folder.path, 'aurora')
  const flags = ['--agent-port', '8901', '--spool-dir', 'my-spool', '--state-dir', join(folder.path, 'state')]
  expect((await run('provision', '--url', stub.listening.url, '--name', 'x', '--out', out, ...flags)).code).toBe(0)
  expect(await readEnv(out)).toMatchObject({
    SERVICE_AGENT_PORT: '8901',
    SERVICE_SPOOL_DIR: join(process.cwd(), 'my-spool'),
    SERVICE_STATE_DIR: join(folder.path, 'state'),
  })
  const wrong = await run('provision', '--url', stub.listening.url, '--name', 'x', '--out', out, '--agent-port', 'many')
  expect(wrong.code).toBe(2)
})

test('provision writes the settings of the webhook bridge where the agent is to receive the webhooks', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serve('--memory')
  const out = join(folder.path, 'aurora')
  const provision = (...flags: string[]) =>
    run('provision', '--url', stub.listening.url, '--name', 'x', '--out', out, ...flags)
  expect((await provision('--bridge')).code).toBe(0)
  expect(await readEnv(out)).toMatchObject({
    SERVICE_WEBHOOK_PORT: '8898',
    SERVICE_WEBHOOK_HOST: '127.0.0.1',
    SERVICE_WEBHOOK_PATH: '/webhook',
  })
  const forward = ['--forward-url', 'http://127.0.0.1:9000/orders']
  expect((await provision('--webhook-url', 'http://[::1]:8890/hooks', ...forward)).code).toBe(0)
  expect(await readEnv(out)).toMatchObject({
    SERVICE_WEBHOOK_PORT: '8890',
    SERVICE_WEBHOOK_HOST: '::1',
    SERVICE_WEBHOOK_PATH: '/hooks',
    SERVICE_WEBHOOK_FORWARD_URL: 'http://127.0.0.1:9000/orders',
  })
  const token = (await readEnv(out))['SERVICE_WEBHOOK_FORWARD_TOKEN'] ?? ''
  expect(keepSecret(token)).toMatch(/^[\w-]{43}$/)
  expect((await provision(...forward)).code).toBe(0)
  // The game server knows its agent by it.
  expect((await readEnv(out))['SERVICE_WEBHOOK_FORWARD_TOKEN']).toBe(token)
  const { data } = await stub.control.request('GET', '/stub/game-servers')
  for (const { apiKey } of data) keepSecret(apiKey)
  expect(data.map(({ webhookUrl }: { webhookUrl: string }) => webhookUrl).sort()).toEqual([
    'http://127.0.0.1:8898/webhook',
    'http://127.0.0.1:8898/webhook',
    'http://[::1]:8890/hooks',
  ])
  for (const elsewhere of ['https://127.0.0.1/webhook', 'http://game.example/webhook', 'http://127.0.0.1:1/x?y=1'])
    expect(await provision('--bridge', '--webhook-url', elsewhere)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--bridge: the agent cannot listen at ${elsewhere}`),
    })
})

async function readEnv(folder: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(folder, 'agent.env'), 'utf8')).split('\n').filter((line) => line.includes('='))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

test('provision says plainly that no stub answers, or that a file is in its way', async () => {
  await using folder = await temporaryFolder()
  const port = await freePort()
  const nobody = await run('provision', '--url', `http://127.0.0.1:${port}`, '--name', 'x', '--out', folder.path)
  expect([nobody.code, nobody.stderr]).toEqual([
    1,
    `platform-stub: no platform-stub answers at http://127.0.0.1:${port}; start one with \`platform-stub serve\`\n`,
  ])
  expect(await readdir(folder.path)).toEqual([])
  await writeFile(join(folder.path, 'signing-key.pem'), randomUUID())
  const inTheWay = await run('provision', '--url', 'http://127.0.0.1:1', '--name', 'x', '--out', folder.path)
  expect([inTheWay.code, inTheWay.stderr.includes('signing-key.pem is there already')]).toEqual([1, true])
})

test('provision registers no game server whose files it could not write', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serve('--memory')
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  await mkdir(join(folder.path, 'taken', 'agent.env'), { recursive: true })
  for (const out of [file, join(file, 'below'), join(folder.path, 'taken')]) {
    const { code, stderr } = await run('provision', '--url', stub.listening.url, '--name', 'x', '--out', out)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^platform-stub: .* cannot hold the agent's files: .*\n$/),
    ])
    expect(stderr).toContain(out)
  }
  const { data } = await stub.control.request('POST', '/stub/game-servers', { name: 'first' })
  keepSecret(data.apiKey)
  expect(data.gameServerId).toBe(1)
  expect(await readdir(join(folder.path, 'taken'))).toEqual(['agent.env'])
})
