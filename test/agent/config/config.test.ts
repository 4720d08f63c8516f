import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAgentConfig } from '../../../agent/config/config.ts'
import { parseConfigFile } from '../../../agent/config/config-file.ts'
import { sentenceOf } from '../../../agent/language/problem.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (key: typeof rsa.privateKey, type: 'pkcs8' | 'pkcs1' = 'pkcs8') =>
  key.export({ type, format: 'pem' }) as string
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string

const files: Readonly<Record<string, string>> = {
  '/k/own.pem': pem(rsa.privateKey),
  '/k/pkcs1.pem': pem(rsa.privateKey, 'pkcs1'),
  '/k/weak.pem': pem(weak.privateKey),
  '/k/ec.pem': pem(ec.privateKey),
  '/k/encrypted.pem': rsa.privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  }) as string,
  '/k/encrypted-pkcs1.pem': rsa.privateKey.export({
    type: 'pkcs1',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  }) as string,
  '/k/damaged.pem': pem(rsa.privateKey).replace(/\n.*\n/, '\n'),
  '/k/platform.pem': publicPem,
  '/k/empty': ' \n',
  '/k/api-key': 'key-from-file\n',
}
const readFile = (path: string) => {
  const text = files[path]
  if (text === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' })
  return text
}
/** Where the links of these tests lead. */
const links: Readonly<Record<string, string>> = { '/link-to-state': '/d/state', '/link-to-spool': '/d/spool' }
const realPath = (path: string) => path.replace(/^\/[^/]*/, (start) => links[start] ?? start)
const good = {
  SERVICE_BASE_URL: 'https://api.example.com/v1/',
  SERVICE_API_KEY: 'key-1',
  SERVICE_SIGNING_KEY_FILE: '/k/own.pem',
  SERVICE_SIGNING_KID: 'kid-1',
}
const read = (env: Readonly<Record<string, string | undefined>>, file = new Map<string, string>()) =>
  readAgentConfig({
    env,
    file,
    readFile,
    realPath,
    isReadableByAll: () => false,
    usualStateDir: '/d/usual',
    hostName: 'h',
  })
const errorsOf = (env: Readonly<Record<string, string | undefined>>) => {
  const reading = read({ ...good, ...env })
  return reading.ok ? [] : reading.errors.map(sentenceOf)
}

test('four settings are enough, and the rest has the documented values', () => {
  const reading = read({ ...good, STATE_DIRECTORY: '/var/lib/x' })
  expect(reading).toMatchObject({
    ok: true,
    config: {
      baseUrl: 'https://api.example.com',
      apiKey: 'key-1',
      signingKey: { kid: 'kid-1' },
      host: '127.0.0.1',
      port: 8899,
      token: undefined,
      stateDir: '/var/lib/x',
      attemptTimeoutMs: 10_000,
      callDeadlineMs: 30_000,
      logLevel: 'info',
    },
  })
})

test('all errors are reported together, one per line: the variable, what is wrong, an example', () => {
  const reading = read({
    SERVICE_AGENT_PORT: '99999',
    SERVICE_AGENT_HOST: '0.0.0.0',
    SERVICE_LOG_LEVEL: 'loud',
    SERVICE_CALL_DEADLINE_MS: '3s',
  })
  const errors = reading.ok ? [] : reading.errors.map(sentenceOf)
  expect(errors.map((error) => error.split(':')[0])).toEqual([
    'SERVICE_BASE_URL',
    'SERVICE_API_KEY',
    'SERVICE_SIGNING_KID',
    'SERVICE_SIGNING_KEY_FILE',
    'SERVICE_AGENT_HOST',
    'SERVICE_AGENT_PORT',
    'SERVICE_CALL_DEADLINE_MS',
    'SERVICE_LOG_LEVEL',
  ])
  for (const error of errors) expect(error).toMatch(/^SERVICE_[A-Z_]+: .+\. Example: .+/)
})

test('a missing kid or one that is too long does not hide a bad key file', () => {
  for (const kid of [undefined, 'k'.repeat(201)]) {
    const errors = errorsOf({ SERVICE_SIGNING_KID: kid, SERVICE_SIGNING_KEY_FILE: '/k/weak.pem' })
    expect(errors.map((error) => error.split(':')[0])).toEqual(['SERVICE_SIGNING_KID', 'SERVICE_SIGNING_KEY_FILE'])
  }
})

for (const [what, env, problem] of [
  ['http to another host', { SERVICE_BASE_URL: 'http://api.example.com' }, /https/],
  ['no address', { SERVICE_BASE_URL: 'api.example.com' }, /not an http/],
  ['an address with a user', { SERVICE_BASE_URL: 'https://u:p@api.example.com' }, /user/],
  ['a key file that is not there', { SERVICE_SIGNING_KEY_FILE: '/k/none.pem' }, /no such file: \/k\/none\.pem/],
  ['an empty key file', { SERVICE_SIGNING_KEY_FILE: '/k/empty' }, /empty/],
  ['a key of 1024 bits', { SERVICE_SIGNING_KEY_FILE: '/k/weak.pem' }, /1024 bits/],
  ['a key that is not RSA', { SERVICE_SIGNING_KEY_FILE: '/k/ec.pem' }, /ec, not RSA/],
  ['an encrypted key', { SERVICE_SIGNING_KEY_FILE: '/k/encrypted.pem' }, /key is encrypted; decrypt it with: openssl/],
  ['an encrypted key in the old form', { SERVICE_SIGNING_KEY_FILE: '/k/encrypted-pkcs1.pem' }, /key is encrypted/],
  ['a public key in place of the private one', { SERVICE_SIGNING_KEY_FILE: '/k/platform.pem' }, /is a public key/],
  ['a damaged key', { SERVICE_SIGNING_KEY_FILE: '/k/damaged.pem' }, /no RSA private key .*damaged one; copy/],
  ['a public key to sign with', { SERVICE_SIGNING_KEY_FILE: '/k/platform.pem' }, /private key/],
  ['a key given twice', { SERVICE_API_KEY_FILE: '/k/api-key' }, /not both/],
  ['an API key with a line break', { SERVICE_API_KEY: 'a\nb' }, /line breaks/],
  ['an empty token file', { SERVICE_AGENT_TOKEN_FILE: '/k/empty' }, /empty/],
  [
    'a private key of the platform',
    { SERVICE_PLATFORM_KID: 'p', SERVICE_PLATFORM_PUBLIC_KEY_FILE: '/k/own.pem' },
    /private key/,
  ],
  [
    'kids without files',
    { SERVICE_PLATFORM_KID: 'p,q', SERVICE_PLATFORM_PUBLIC_KEY_FILE: '/k/platform.pem' },
    /2 keys.*1 files/,
  ],
  [
    'a kid given twice',
    { SERVICE_PLATFORM_KID: 'p,p', SERVICE_PLATFORM_PUBLIC_KEY_FILE: '/k/platform.pem,/k/platform.pem' },
    /SERVICE_PLATFORM_KID: names one kid twice/,
  ],
  ['a host that only looks like an address', { SERVICE_AGENT_HOST: '127.999.1.1' }, /not a loopback address/],
  ['a spool that is the state directory', { SERVICE_SPOOL_DIR: '/d/state', SERVICE_STATE_DIR: '/d/state' }, /as well/],
  [
    'a spool that is a link to the state directory',
    { SERVICE_SPOOL_DIR: '/link-to-state', SERVICE_STATE_DIR: '/d/state' },
    /SERVICE_SPOOL_DIR: is the state directory as well/,
  ],
  [
    'a state directory in the spool',
    { SERVICE_SPOOL_DIR: '/link-to-spool', SERVICE_STATE_DIR: '/d/spool/outbox' },
    /SERVICE_STATE_DIR: lies in the spool/,
  ],
  ['a proxy that is not an address', { HTTPS_PROXY: 'proxy:1' }, /not an http/],
  ['a certificate file without one', { SERVICE_CA_FILE: '/k/platform.pem' }, /no certificate/],
  ['a store that is no PostgreSQL', { SERVICE_STORE_URL: 'mysql://u:p@h/d' }, /SERVICE_STORE_URL: not an address/],
  [
    'an agent name with a blank',
    { SERVICE_STORE_URL: 'postgres://u:p@h/d', SERVICE_AGENT_NAME: 'host 1' },
    /SERVICE_AGENT_NAME: has more than 64/,
  ],
  [
    'a world with a slash',
    { SERVICE_STORE_URL: 'postgres://u:p@h/d', SERVICE_WORLD: 'north/2' },
    /SERVICE_WORLD: has more than 64/,
  ],
] as const) {
  test(`${what} is an error that names the setting and no secret`, () => {
    const errors = errorsOf(env)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(problem)
    expect(errors.join()).not.toMatch(/PRIVATE KEY-----|key-1|u:p/)
  })
}

const secretText = 'Xk29-secret-of-the-operator'
const ownPem = files['/k/own.pem'] ?? ''

for (const [what, env] of [
  ['a private key as its own file name', { SERVICE_SIGNING_KEY_FILE: ownPem }],
  ['a private key as the kid', { SERVICE_SIGNING_KID: ownPem }],
  ['a private key without line breaks as the kid', { SERVICE_SIGNING_KID: ownPem.replaceAll('\n', '') }],
  ['a private key as the spool', { SERVICE_SPOOL_DIR: ownPem }],
  ['a private key as the log file', { SERVICE_LOG_FILE: ownPem }],
  ['a private key as the address', { SERVICE_BASE_URL: ownPem }],
  ['a private key as the platform kid, twice', { SERVICE_PLATFORM_KID: `${ownPem},${ownPem}` }],
  ['a secret as a file name', { SERVICE_API_KEY: undefined, SERVICE_API_KEY_FILE: secretText }],
  ['a secret as the token file', { SERVICE_AGENT_TOKEN_FILE: secretText }],
  ['a secret as the port', { SERVICE_AGENT_PORT: secretText }],
  ['a secret as the store', { SERVICE_STORE_URL: secretText }],
  ['a secret as the host', { SERVICE_AGENT_HOST: secretText }],
  ['a secret as the level', { SERVICE_LOG_LEVEL: secretText }],
  ['a secret as the proxy', { HTTPS_PROXY: secretText }],
  ['a secret as the address', { SERVICE_BASE_URL: secretText }],
  ['a password in the address', { SERVICE_BASE_URL: `https://user:${secretText}@api.example.com` }],
  [
    'a password in an address with a mistyped scheme',
    { SERVICE_BASE_URL: `htps://user:${secretText}@api.example.com` },
  ],
  ['a password in an address on http', { SERVICE_BASE_URL: `http://user:${secretText}@api.example.com` }],
] as const) {
  test(`${what} is an error, and its text is not printed`, () => {
    const errors = errorsOf(env).join('\n')
    expect(errors).toContain(Object.keys(env).at(-1))
    expect(errors).not.toContain(secretText)
    for (const line of ownPem.split('\n').filter((line) => line.length > 10)) expect(errors).not.toContain(line)
  })
}

test('a line of a key in the configuration file is an error, and its text is not printed', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
  const { values } = parseConfigFile(`${line}=`)
  const reading = read(good, new Map(values))
  expect(reading.ok ? [] : reading.errors.map(sentenceOf)).toEqual([
    expect.stringMatching(/not a setting of market-agent/),
  ])
  expect(JSON.stringify(reading)).not.toContain(line)
})

test('a key that every user of the host can read gives a warning with the cure', () => {
  const readable = new Set(['/k/own.pem', '/k/api-key'])
  const source = { env: { ...good, SERVICE_API_KEY: undefined, SERVICE_API_KEY_FILE: '/k/api-key' }, file: new Map() }
  const reading = readAgentConfig({
    ...source,
    readFile,
    realPath,
    isReadableByAll: (path) => readable.has(path),
    usualStateDir: '/d',
    hostName: 'h',
  })
  expect(reading.ok && reading.config.warnings.map(sentenceOf)).toEqual([
    'SERVICE_API_KEY_FILE: every user of this host can read /k/api-key. Run: chmod o= /k/api-key',
    'SERVICE_SIGNING_KEY_FILE: every user of this host can read /k/own.pem. Run: chmod o= /k/own.pem',
  ])
})

test('a misspelt setting in the environment gives a warning, and so does an attempt that outlasts its call', () => {
  expect(read({ ...good, SERVICE_SPOOLDIR: '/d/spool', SERVICE_ATTEMPT_TIMEOUT_MS: '40000' })).toMatchObject({
    ok: true,
    config: {
      warnings: [
        { name: 'SERVICE_SPOOLDIR', problem: 'not a setting of market-agent, and ignored' },
        { name: 'SERVICE_ATTEMPT_TIMEOUT_MS', cure: 'give an attempt at most a third of the deadline' },
      ],
    },
  })
})

test('NODE_TLS_REJECT_UNAUTHORIZED=0 gives a warning that it is ignored', () => {
  expect(read(good)).toMatchObject({ ok: true, config: { warnings: [] } })
  expect(read({ ...good, NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toMatchObject({
    ok: true,
    config: { warnings: [{ name: 'NODE_TLS_REJECT_UNAUTHORIZED', cure: 'trust a private CA with SERVICE_CA_FILE' }] },
  })
})

test('a key may be PKCS#8 or PKCS#1, and an API key may be in a file', () => {
  expect(errorsOf({ SERVICE_SIGNING_KEY_FILE: '/k/pkcs1.pem' })).toEqual([])
  const reading = read({ ...good, SERVICE_API_KEY: undefined, SERVICE_API_KEY_FILE: '/k/api-key' })
  expect(reading).toMatchObject({ ok: true, config: { apiKey: 'key-from-file' } })
})

test('several platform keys may be named, for the days of a rotation', () => {
  const reading = read({
    ...good,
    SERVICE_PLATFORM_KID: 'p1, p2',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: '/k/platform.pem,/k/platform.pem',
  })
  expect(reading.ok && [...reading.config.platformKeys.keys()]).toEqual(['p1', 'p2'])
})

const withKeys = { SERVICE_PLATFORM_KID: 'p-1', SERVICE_PLATFORM_PUBLIC_KEY_FILE: '/k/platform.pem' }

test('the webhook bridge is off without its port, and then its other settings are errors', () => {
  expect(read(good)).toMatchObject({ ok: true, config: { webhook: undefined } })
  const errors = errorsOf({ SERVICE_WEBHOOK_PATH: '/w', SERVICE_WEBHOOK_FORWARD_URL: 'http://127.0.0.1:9000/' })
  expect(errors.map((error) => error.split(':')[0])).toEqual(['SERVICE_WEBHOOK_PATH', 'SERVICE_WEBHOOK_FORWARD_URL'])
})

test('the webhook bridge is at 127.0.0.1 and /webhook, and needs a key to verify with', () => {
  expect(read({ ...good, ...withKeys, SERVICE_WEBHOOK_PORT: '8898' })).toMatchObject({
    ok: true,
    config: {
      webhook: {
        host: '127.0.0.1',
        port: 8898,
        path: '/webhook',
        forwardUrl: undefined,
        forwardToken: undefined,
        ordersBy: 'asking',
      },
    },
  })
  expect(errorsOf({ SERVICE_WEBHOOK_PORT: '8898' })).toEqual([
    'SERVICE_WEBHOOK_PORT: needs SERVICE_PLATFORM_KID and SERVICE_PLATFORM_PUBLIC_KEY_FILE. Example: 8898',
  ])
})

for (const [what, env, problem] of [
  ['the port of the agent', { SERVICE_WEBHOOK_PORT: '8899' }, /^SERVICE_WEBHOOK_PORT: is SERVICE_AGENT_PORT as well/],
  ['a host with a port', { SERVICE_WEBHOOK_HOST: '0.0.0.0:1' }, /^SERVICE_WEBHOOK_HOST: not an IP address/],
  ['a path with a query', { SERVICE_WEBHOOK_PATH: '/w?x' }, /^SERVICE_WEBHOOK_PATH: not a path/],
  ['a path without a slash', { SERVICE_WEBHOOK_PATH: 'w' }, /^SERVICE_WEBHOOK_PATH: not a path/],
  ['no address', { SERVICE_WEBHOOK_FORWARD_URL: 'localhost:9000' }, /^SERVICE_WEBHOOK_FORWARD_URL: not an http/],
  ['a user', { SERVICE_WEBHOOK_FORWARD_URL: 'http://a:b@127.0.0.1/' }, /^SERVICE_WEBHOOK_FORWARD_URL: holds a user/],
] as const) {
  test(`the webhook bridge with ${what} is refused, with an example`, () => {
    const errors = errorsOf({ ...withKeys, SERVICE_WEBHOOK_PORT: '8898', ...env })
    expect(errors).toEqual([expect.stringMatching(problem)])
    expect(errors[0]).toMatch(/Example: /)
  })
}

test('orders that leave the host unencrypted give a warning', () => {
  const warningsOf = (forwardUrl: string) => {
    const reading = read({
      ...good,
      ...withKeys,
      SERVICE_WEBHOOK_PORT: '8898',
      SERVICE_WEBHOOK_FORWARD_URL: forwardUrl,
    })
    return reading.ok ? reading.config.warnings.map(sentenceOf) : ['not valid']
  }
  expect(warningsOf('http://10.0.0.2:9000/orders')).toEqual([expect.stringMatching(/unencrypted\. Use https/)])
  expect(warningsOf('http://127.0.0.1:9000/orders')).toEqual([])
  expect(warningsOf('https://game.example.com/orders')).toEqual([])
})

test('the environment wins over the file', () => {
  const { values, errors } = parseConfigFile(
    '\uFEFF# comment\r\n\r\nSERVICE_SIGNING_KID="from file"\nSERVICE_AGENT_PORT = 9000 \n',
  )
  expect(errors).toEqual([])
  expect(read({ ...good, SERVICE_AGENT_PORT: '9001' }, new Map(values))).toMatchObject({
    ok: true,
    config: { port: 9001, signingKey: { kid: 'kid-1' } },
  })
  expect(read({ ...good, SERVICE_SIGNING_KID: undefined }, new Map(values))).toMatchObject({
    ok: true,
    config: { port: 9000, signingKey: { kid: 'from file' } },
  })
})

test('a line that is none, a name given twice and an unknown name are errors of the file', () => {
  expect(parseConfigFile('SERVICE_API_KEY key\nA=1\nA=2').errors).toEqual([
    { line: 1, problem: 'not a NAME=value line', cure: 'write NAME=value, or remove the line' },
    { line: 3, problem: 'A is given twice', cure: 'keep one of the lines' },
  ])
  const reading = read(good, new Map([['SERVICE_APIKEY', 'x']]))
  expect(reading.ok ? [] : reading.errors.map(sentenceOf)).toEqual([
    'SERVICE_APIKEY: not a setting of market-agent. Look for its name in docs/en/operations/settings.md',
  ])
})

test('a setting in lower case is an error of the file and a warning of the environment, because it has no effect', () => {
  const reading = read(good, new Map([['service_agent_token', 'x']]))
  expect(reading.ok ? [] : reading.errors.map(sentenceOf)).toEqual([
    'service_agent_token: not a setting of market-agent. Write its name in upper case',
  ])
  const warning = { name: 'service_agent_token', cure: 'write its name in upper case' }
  expect(read({ ...good, service_agent_token: 'x' })).toMatchObject({ ok: true, config: { warnings: [warning] } })
  // As on Windows.
  const both = { service_agent_token: 'x', SERVICE_AGENT_TOKEN: 'x' }
  expect(read({ ...good, ...both })).toMatchObject({ ok: true, config: { token: 'x', warnings: [] } })
  expect(read(good, new Map([['https_proxy', 'http://proxy.example.com:3128']]))).toMatchObject({
    ok: true,
    config: { httpsProxy: 'http://proxy.example.com:3128' },
  })
})

test('http is allowed to loopback in each of its spellings', () => {
  for (const base of ['http://127.0.0.1:8787', 'http://localhost:8787/v1', 'http://[::1]:8787'])
    expect(errorsOf({ SERVICE_BASE_URL: base })).toEqual([])
})

test('state and spool may lie side by side, and 127.0.0.2 is this host', () => {
  expect(errorsOf({ SERVICE_SPOOL_DIR: '/d/spool', SERVICE_STATE_DIR: '/d/spool-state' })).toEqual([])
  expect(errorsOf({ SERVICE_SPOOL_DIR: '/d/spool', SERVICE_STATE_DIR: '/d/..state' })).toEqual([])
  expect(errorsOf({ SERVICE_AGENT_HOST: '127.0.0.2' })).toEqual([])
})

test('an agent that shares a store has the name of its host, and no world but the one that is set', () => {
  const store = { SERVICE_STORE_URL: 'postgres://u:p@h/d' }
  expect(read({ ...good, ...store })).toMatchObject({ config: { agentName: 'h', world: '', warnings: [] } })
  expect(read({ ...good, ...store, SERVICE_WORLD: 'north' })).toMatchObject({ config: { world: 'north' } })
  expect(read({ ...good, SERVICE_WORLD: 'north' })).toMatchObject({
    ok: true,
    config: { warnings: [{ name: 'SERVICE_WORLD', problem: 'ignored without SERVICE_STORE_URL' }] },
  })
})

test('agent.example.env is valid with every setting in it, and the limits that it names are the real ones', () => {
  const example = readFileSync(join(import.meta.dirname, '..', '..', '..', 'agent.example.env'), 'utf8')
  const { values, errors } = parseConfigFile(example.replaceAll(/^#(?=[A-Z_]+=)/gm, ''))
  expect(errors).toEqual([])
  const given = ['SERVICE_API_KEY', 'SERVICE_AGENT_TOKEN', 'SERVICE_WEBHOOK_FORWARD_TOKEN']
  const file = new Map([...values].filter(([name]) => !given.includes(name)))
  const keyFiles: Readonly<Record<string, string>> = {
    SERVICE_SIGNING_KEY_FILE: '/k/own.pem',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: '/k/platform.pem',
    SERVICE_API_KEY_FILE: '/k/api-key',
    SERVICE_AGENT_TOKEN_FILE: '/k/api-key',
    SERVICE_WEBHOOK_FORWARD_TOKEN_FILE: '/k/api-key',
  }
  for (const [name, path] of Object.entries(keyFiles)) if (file.has(name)) file.set(name, path)
  for (const name of ['SERVICE_CA_FILE', 'SERVICE_STORE_URL_FILE']) file.delete(name)
  expect(read({}, file)).toMatchObject({ ok: true })
  const limits = [...example.matchAll(/\((\d+) to (\d+)\)[\s\S]*?#(\w+)=/g)]
  expect(limits).toHaveLength(2)
  for (const [, min, max, name = ''] of limits) {
    for (const value of [Number(min), Number(max)]) expect(read({ [name]: String(value) }, file).ok).toBe(true)
    for (const value of [Number(min) - 1, Number(max) + 1]) expect(read({ [name]: String(value) }, file).ok).toBe(false)
  }
})
