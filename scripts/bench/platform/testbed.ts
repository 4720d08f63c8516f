import { generateKeyPairSync } from 'node:crypto'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningProgram, startProgram } from '../../child-program.ts'
import type { Signer } from '../load/signed-request.ts'
import type { PlatformCounts } from './verifying-server.ts'

/** A platform, the credentials of one game server, and a directory for all that runs against it. */
export interface Testbed extends AsyncDisposable {
  readonly dir: string
  /** The game server's key, and the platform's too. */
  readonly signer: Signer
  /** Configures the agent, and what is measured in its place. */
  readonly agentEnv: Readonly<Record<string, string>>
  /** Starts a program with the agent's configuration. */
  readonly start: (name: string, command: readonly string[], env?: Record<string, string>) => Promise<RunningProgram>
  /** Runs a load. @throws {Error} The platform refused a call, or accepted another number of calls than were answered. */
  readonly proveCalls: <Result extends { readonly answered: number }>(load: () => Promise<Result>) => Promise<Result>
}

/** The command of one of the benchmark's own contenders. */
export const ownProgram = (file: string): string[] => [
  process.execPath,
  join(import.meta.dirname, '..', 'contenders', file),
]

/** A directory that is removed at the end, also when the process is interrupted. */
export function temporaryDirectory(): Disposable & { readonly path: string } {
  const dir = mkdtempDisposableSync(join(tmpdir(), 'market-agent-bench-'))
  process.once('exit', dir.remove)
  return dir
}

/** Starts the verifying server with new keys. Disposing ends it and removes the directory. */
export async function startTestbed(): Promise<Testbed> {
  await using disposables = new AsyncDisposableStack()
  const dir = disposables.use(temporaryDirectory()).path
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const [keyFile, publicKeyFile] = [join(dir, 'key.pem'), join(dir, 'public-key.pem')]
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  writeFileSync(publicKeyFile, publicKey.export({ type: 'spki', format: 'pem' }))

  const startHere = (name: string, command: readonly string[], env: Readonly<Record<string, string>>) =>
    startProgram({ name, command, env, logFile: join(dir, `${name}.log`) })
  const platformEnv = { BENCH_API_KEY: 'bench-api-key', BENCH_PUBLIC_KEY_FILE: publicKeyFile }
  const platformFile = join(import.meta.dirname, 'verifying-server.ts')
  const platform = disposables.use(await startHere('verifying-server', [process.execPath, platformFile], platformEnv))
  const counts = async () => (await (await fetch(`${platform.url}/counts`)).json()) as PlatformCounts
  const agentEnv = {
    SERVICE_BASE_URL: platform.url,
    SERVICE_API_KEY: 'bench-api-key',
    SERVICE_SIGNING_KEY_FILE: keyFile,
    SERVICE_SIGNING_KID: 'bench-kid',
    SERVICE_AGENT_PORT: '0',
    SERVICE_STATE_DIR: join(dir, 'state'),
    SERVICE_PLATFORM_KID: 'bench-kid',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: publicKeyFile,
  }
  const owned = disposables.move()
  return {
    dir,
    signer: { kid: agentEnv.SERVICE_SIGNING_KID, signingKey: privateKey },
    agentEnv,
    start: (name, command, env = {}) => startHere(name, command, { ...agentEnv, ...env }),
    async proveCalls(load) {
      const before = (await counts()).accepted
      const result = await load()
      const { accepted, lastRefusal } = await counts()
      if (lastRefusal) throw new Error(`The platform refused a call: ${lastRefusal}`)
      if (accepted - before === result.answered) return result
      throw new Error(`${result.answered} calls were answered, but the platform accepted ${accepted - before}`)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
