import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AgentConfig } from '../../../agent/config/config.ts'
import { LiveConfig } from '../../../agent/config/live-config.ts'
import { readSigningKey } from '../../../agent/signing/signing-key.ts'

const newPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const pemOf = ({ privateKey }: ReturnType<typeof newPair>) =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const [own, platform] = [newPair(), newPair()]

const config: AgentConfig = {
  baseUrl: 'https://api.example.com',
  apiKey: 'api-key-1',
  signingKey: readSigningKey(pemOf(own), 'kid-1'),
  host: '127.0.0.1',
  port: 8899,
  token: 'token-1',
  stateDir: '/d/state',
  spoolDir: '/d/spool',
  storeUrl: undefined,
  agentName: 'a',
  world: '',
  platformKeys: new Map([['platform-1', platform.publicKey]]),
  webhook: {
    host: '127.0.0.1',
    port: 8898,
    path: '/webhook',
    forwardUrl: undefined,
    forwardToken: undefined,
    ordersBy: 'asking',
  },
  extraCa: undefined,
  httpsProxy: undefined,
  noProxy: undefined,
  attemptTimeoutMs: 10_000,
  callDeadlineMs: 30_000,
  logLevel: 'info',
  logFile: undefined,
  warnings: [],
}

/** A configuration in use, what a reload finds, and how the reload ends. */
function reloadWith(next: Partial<AgentConfig>) {
  const found = { ...config, ...next }
  const live = new LiveConfig(config, {
    read: () => ({ ok: true, config: found }),
    readToken: () => undefined,
    onReload: () => undefined,
  })
  return { found, live, reloading: live.reload() }
}

const webhook = (changes: object) => ({ webhook: { ...config.webhook, ...changes } })

const fixed: readonly [name: string, next: object][] = [
  ['SERVICE_BASE_URL', { baseUrl: 'https://other.example.com' }],
  ['SERVICE_AGENT_HOST', { host: '127.0.0.2' }],
  ['SERVICE_AGENT_PORT', { port: 9000 }],
  ['SERVICE_STATE_DIR', { stateDir: '/d/other' }],
  ['SERVICE_SPOOL_DIR', { spoolDir: undefined }],
  ['SERVICE_CA_FILE', { extraCa: '-----BEGIN CERTIFICATE-----' }],
  ['HTTPS_PROXY', { httpsProxy: 'http://proxy.example.com:3128' }],
  ['NO_PROXY', { noProxy: 'localhost' }],
  ['SERVICE_ATTEMPT_TIMEOUT_MS', { attemptTimeoutMs: 5_000 }],
  ['SERVICE_CALL_DEADLINE_MS', { callDeadlineMs: 5_000 }],
  ['SERVICE_LOG_FILE', { logFile: '/d/log' }],
  ['SERVICE_WEBHOOK_PORT', { webhook: undefined }],
  ['SERVICE_WEBHOOK_PORT', webhook({ port: 8897 })],
  ['SERVICE_WEBHOOK_HOST', webhook({ host: '0.0.0.0' })],
  ['SERVICE_WEBHOOK_PATH', webhook({ path: '/other' })],
  ['SERVICE_WEBHOOK_FORWARD_URL', webhook({ forwardUrl: 'http://127.0.0.1:9000/' })],
  ['SERVICE_ORDERS_BY', webhook({ ordersBy: 'files' })],
]

test.each(fixed)('a reload that would change %s is refused by that name, and none of it is applied', (name, next) => {
  const { live, reloading } = reloadWith({ ...next, token: 'token-2' })
  expect(reloading).toEqual({ ok: false, errors: [expect.stringMatching(`^${name}: cannot change while`)] })
  expect(live.current).toBe(config)
})

test('all settings that cannot change are named together', () => {
  const { reloading } = reloadWith({ port: 9000, stateDir: '/d/other' })
  expect(reloading.ok ? [] : reloading.errors).toHaveLength(2)
})

test('keys, token and log level are taken, and the answer names what has changed', () => {
  const rotated = newPair()
  const { found, live, reloading } = reloadWith({
    apiKey: 'api-key-2',
    signingKey: readSigningKey(pemOf(rotated), 'kid-2'),
    platformKeys: new Map([...config.platformKeys, ['platform-2', rotated.publicKey]]),
    token: 'token-2',
    logLevel: 'debug',
  })
  expect(reloading).toEqual({
    ok: true,
    changed: [
      'SERVICE_API_KEY',
      'SERVICE_SIGNING_KEY_FILE',
      'SERVICE_SIGNING_KID',
      'SERVICE_PLATFORM_KID',
      'SERVICE_AGENT_TOKEN',
      'SERVICE_LOG_LEVEL',
    ],
  })
  expect(live.current).toBe(found)
})

test('the same keys, read again, are not a change', () => {
  const again = { signingKey: readSigningKey(pemOf(own), 'kid-1'), platformKeys: new Map(config.platformKeys) }
  expect(reloadWith(again).reloading).toEqual({ ok: true, changed: [] })
})

test('another key of the platform under the same kid is a change', () => {
  const next = { platformKeys: new Map([['platform-1', newPair().publicKey]]) }
  expect(reloadWith(next).reloading).toEqual({ ok: true, changed: ['SERVICE_PLATFORM_KID'] })
})
