import type { AgentConfig } from '../../../agent/config/config.ts'
import { LiveConfig } from '../../../agent/config/live-config.ts'
import { readSigningKey } from '../../../agent/signing/signing-key.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'

const { privateKey, publicKey } = testKeysOf('game-server')
/** An agent at `agent:8080`, whose webhooks arrive at `agent:8081` and whose platform is `platform:9000`. */
const config: AgentConfig = {
  baseUrl: 'http://platform:9000',
  apiKey: 'api-key',
  signingKey: readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, 'game-server-1'),
  host: 'agent',
  port: 8080,
  token: undefined,
  stateDir: '/var/state',
  spoolDir: '/var/spool',
  storeUrl: undefined,
  agentName: 'a',
  world: '',
  platformKeys: new Map([['platform-1', publicKey]]),
  webhook: {
    host: 'agent',
    port: 8081,
    path: '/webhook',
    forwardUrl: undefined,
    forwardToken: undefined,
    ordersBy: 'files',
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

/** The configuration of an agent that is never reloaded. */
export function fixedConfig(): LiveConfig {
  const read = () => ({ ok: true as const, config })
  return new LiveConfig(config, { read, readToken: () => undefined, onReload: () => undefined })
}
