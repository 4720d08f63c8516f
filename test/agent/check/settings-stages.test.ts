import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect, test } from 'vitest'
import { readSigningKey } from '../../../agent/signing/signing-key.ts'
import { checkSetup } from '../fixtures/check-setup.ts'

const timeout = 120_000

test('where nothing is wrong, each stage is one line, the key is named, and the exit code is 0', {
  timeout,
}, async () => {
  using ready = checkSetup()
  const { code, stdout, stderr } = await ready.run(['--offline'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => /^(ok|ok, but|\?|wrong) +([a-z-]+): ./.exec(line)?.slice(1))).toEqual([
    ['ok', 'settings'],
    ['ok', 'files'],
    ['ok', 'signing-key'],
    ['ok', 'platform-keys'],
    ['ok', 'user'],
    ['ok', 'state-dir'],
    ['ok', 'journal'],
    ['ok', 'orders-ledger'],
    ['ok', 'state-owner'],
    ['ok', 'log'],
    ['ok', 'port'],
    ['?', 'platform'],
  ])
  expect(lines[2]).toMatch(/RSA, 2048 bits, kid kid-1, fingerprint [\w-]{43} /)
  expect(lines.at(-1)).toContain('left out by --offline')
})

test('--json says the same for programs', { timeout }, async () => {
  using ready = checkSetup()
  const { code, stdout } = await ready.run(['--offline', '--json'])
  const { ok, checks } = JSON.parse(stdout)
  expect({ code, ok }).toEqual({ code: 0, ok: true })
  for (const check of checks) expect(Object.keys(check)).toEqual(['name', 'ok', 'message', 'cure'])
  const wrong = await ready.run(['--offline', '--json'], { SERVICE_AGENT_PORT: 'x' })
  expect({ code: wrong.code, ok: JSON.parse(wrong.stdout).ok }).toEqual({ code: 1, ok: false })
})

test('all errors of the settings are found, and what needs them says that it was not checked', {
  timeout,
}, async () => {
  using ready = checkSetup()
  const changes = { SERVICE_AGENT_PORT: 'x', SERVICE_LOG_LEVEL: 'loud' }
  expect(await ready.faults(changes)).toEqual([
    {
      name: 'settings',
      ok: false,
      message: expect.stringMatching(/^SERVICE_AGENT_PORT: not a whole/),
      cure: 'example: 8899',
    },
    {
      name: 'settings',
      ok: false,
      message: expect.stringMatching(/^SERVICE_LOG_LEVEL: not one of/),
      cure: 'example: info',
    },
  ])
  expect(await ready.stages(['port', 'state-dir'], changes)).toMatchObject([
    { name: 'state-dir', ok: true },
    { name: 'port', ok: null, message: 'not checked, because SERVICE_AGENT_PORT is wrong' },
  ])
})

test('a configuration file that is missing, and a line in it that is none, are found', { timeout }, async () => {
  using ready = checkSetup()
  const wrong = async (file: string) => (await ready.run(['--offline', '--config', file])).stdout.split('\n')[0]
  expect(await wrong(ready.path('gone.env'))).toBe(
    `wrong   settings: --config: cannot read ${ready.path('gone.env')}: no such file (ENOENT). Correct the setting`,
  )
  const { stdout } = await ready.run(['--offline', '--config', ready.path('gone.env')])
  const others = stdout.trimEnd().split('\n').slice(1)
  expect(others.map((line) => line.slice(0, 7).trim())).toEqual(['?', '?', '?'])
  writeFileSync(ready.path('agent.env'), 'SERVICE_SPOOL_DIR /var/spool\n')
  expect(await wrong(ready.path('agent.env'))).toContain('agent.env, line 1: not a NAME=value line')
})

test('a missing key file is a fault of the key', { timeout }, async () => {
  using ready = checkSetup()
  expect(await ready.faults({ SERVICE_SIGNING_KEY_FILE: ready.path('gone.pem') })).toEqual([
    {
      name: 'signing-key',
      ok: false,
      message: `SERVICE_SIGNING_KEY_FILE: no such file: ${ready.path('gone.pem')}`,
      cure: 'example: /etc/market-agent/signing-key.pem',
    },
  ])
})

test('a key that everybody may read is wrong, with the command that corrects it', { timeout }, async () => {
  using ready = checkSetup()
  chmodSync(ready.path('key.pem'), 0o644)
  expect(await ready.faults()).toEqual([
    {
      name: 'files',
      ok: false,
      message: `SERVICE_SIGNING_KEY_FILE: every user of this host can read ${ready.path('key.pem')}`,
      cure: `run: chmod o= ${ready.path('key.pem')}`,
    },
  ])
})

test('a path that looks like the end of a sentence stays whole, and the command can be copied', {
  timeout,
}, async () => {
  using ready = checkSetup()
  mkdirSync(ready.path('my. dir: x'))
  const file = ready.path('my. dir: x', 'key. pem')
  copyFileSync(ready.path('key.pem'), file)
  chmodSync(file, 0o644)
  expect(await ready.faults({ SERVICE_SIGNING_KEY_FILE: file })).toEqual([
    {
      name: 'files',
      ok: false,
      message: `SERVICE_SIGNING_KEY_FILE: every user of this host can read ${file}`,
      cure: `run: chmod o= '${file}'`,
    },
  ])
  writeFileSync(file, 'no key')
  expect(await ready.stages(['signing-key'], { SERVICE_SIGNING_KEY_FILE: file })).toMatchObject([
    {
      message: expect.stringMatching(/: .*my\. dir: x\/key\. pem$/),
      cure: 'example: /etc/market-agent/signing-key.pem',
    },
  ])
})

test('a secret in a configuration file that everybody may read is wrong, wherever the command runs', {
  timeout,
}, async () => {
  using ready = checkSetup()
  const file = ready.path('agent.env')
  writeFileSync(file, 'SERVICE_AGENT_TOKEN=0123456789abcdef\n', { mode: 0o644 })
  const { stdout } = await ready.run(['--offline', '--config', relative(process.cwd(), file)])
  expect(stdout).toContain(`SERVICE_AGENT_TOKEN: every user of this host can read ${file}. Run: chmod o= ${file}\n`)
})

test('a setting that is allowed and dangerous is a warning', { timeout }, async () => {
  using ready = checkSetup()
  expect(await ready.stages(['settings'], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual([
    {
      name: 'settings',
      ok: true,
      message: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED: ignored'),
      cure: 'trust a private CA with SERVICE_CA_FILE',
    },
  ])
})

test('an encrypted key, a public one and a short one are wrong', { timeout }, async () => {
  using ready = checkSetup()
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const files = {
    encrypted: privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    public: publicKey.export({ type: 'spki', format: 'pem' }),
    short: short.export({ type: 'pkcs8', format: 'pem' }),
  }
  for (const [name, pem] of Object.entries(files)) {
    writeFileSync(ready.path(name), pem, { mode: 0o600 })
    expect(await ready.faults({ SERVICE_SIGNING_KEY_FILE: ready.path(name) })).toMatchObject([{ name: 'signing-key' }])
  }
})

test("the platform's keys are named, and a missing file is only their fault", { timeout }, async () => {
  using ready = checkSetup()
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(ready.path('platform.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  const settings = (file: string) => ({
    SERVICE_PLATFORM_KID: 'p-1',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: ready.path(file),
  })
  expect(await ready.stages(['platform-keys'], settings('platform.pem'))).toMatchObject([
    { ok: true, message: 'kid p-1' },
  ])
  expect(await ready.faults(settings('gone'))).toMatchObject([{ name: 'platform-keys' }])
})

test('the fingerprint is the one that the log and keygen show', { timeout }, async () => {
  using ready = checkSetup()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  writeFileSync(ready.path('other.pem'), pem, { mode: 0o600 })
  const [check] = await ready.stages(['signing-key'], { SERVICE_SIGNING_KEY_FILE: ready.path('other.pem') })
  expect(check?.message).toContain(readSigningKey(pem, '').fingerprint)
})
