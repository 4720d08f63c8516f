import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { type RunningProgram, startProgram } from '../child-program.ts'
import type { PlatformCounts } from './verifying-server.ts'

const apiKey = 'bench-api-key'
const kid = 'bench-kid'

/** One platform with one game server's credentials, and a directory for all that runs against it. */
export interface Testbed extends AsyncDisposable {
  readonly dir: string
  readonly signingKey: KeyObject
  /** Configures the agent, and whatever is measured in its place. */
  readonly agentEnv: Readonly<Record<string, string>>
  /** What the platform let through since it started. */
  readonly counts: () => Promise<PlatformCounts>
}

/** Starts the verifying server with new keys. Disposing ends it and removes the directory. */
export async function startTestbed(): Promise<Testbed> {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-bench-'))
  const clear = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
  process.once('exit', clear)

  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const signingKeyFile = join(dir, 'signing-key.pem')
  const publicKeyFile = join(dir, 'public-key.pem')
  const stateDir = join(dir, 'state')
  writeFileSync(signingKeyFile, privateKey, { mode: 0o600 })
  writeFileSync(publicKeyFile, publicKey)
  mkdirSync(stateDir, { mode: 0o700 })

  const platform: RunningProgram = await startProgram({
    name: 'verifying-server',
    command: [process.execPath, join(import.meta.dirname, 'verifying-server.ts')],
    env: { BENCH_API_KEY: apiKey, BENCH_KID: kid, BENCH_PUBLIC_KEY_FILE: publicKeyFile },
    logFile: join(dir, 'verifying-server.log'),
  })

  return {
    dir,
    signingKey: createPrivateKey(privateKey),
    agentEnv: {
      SERVICE_BASE_URL: platform.url,
      SERVICE_API_KEY: apiKey,
      SERVICE_SIGNING_KEY_FILE: signingKeyFile,
      SERVICE_SIGNING_KID: kid,
      SERVICE_AGENT_PORT: '0',
      SERVICE_STATE_DIR: stateDir,
      SERVICE_LOG_LEVEL: 'info',
    },
    counts: async () => (await (await request(`${platform.url}/counts`)).body.json()) as PlatformCounts,
    [Symbol.asyncDispose]: async () => {
      await platform[Symbol.asyncDispose]()
      clear()
      process.off('exit', clear)
    },
  }
}
