import { createPrivateKey, createPublicKey } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface Provisioning {
  /** The running stub's address. */
  readonly stubUrl: string
  readonly name: string
  readonly webhookUrl: string | undefined
  /** Made if missing. */
  readonly directory: string
}

/** The stub could not be asked, or said no, or the key that lies there cannot be used. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError'
}

/** What `POST /stub/game-servers` answers. */
interface Registered {
  readonly gameServerId: number
  readonly apiKey: string
  readonly kid: string
  readonly privateKeyPem: string | null
  readonly platformKeyKid: string
  readonly platformPublicKeyPem: string
}

/**
 * Registers a game server with a running stub and writes what its agent needs: `agent.env` (0600), `signing-key.pem`
 * (0600) and `platform-public-key.pem`. A signing key that lies there already is kept and its public half registered;
 * of an `agent.env` that lies there only the lines that changed are replaced.
 *
 * @returns The game server's number, and the absolute path of its agent.env.
 * @throws {ProvisionError}
 */
export async function provision({
  stubUrl,
  name,
  webhookUrl,
  directory,
}: Provisioning): Promise<{ gameServerId: number; envFile: string }> {
  const folder = resolve(directory)
  const files = {
    env: join(folder, 'agent.env'),
    signingKey: join(folder, 'signing-key.pem'),
    platformKey: join(folder, 'platform-public-key.pem'),
  }
  const publicKeyPem = existsSync(files.signingKey) ? publicHalfOf(files.signingKey) : undefined
  const registered = await register(stubUrl, { name, webhookUrl, publicKeyPem })
  mkdirSync(folder, { recursive: true })
  // `wx`: whatever happened since we looked, an existing key is never overwritten.
  if (registered.privateKeyPem) writeFileSync(files.signingKey, registered.privateKeyPem, { mode: 0o600, flag: 'wx' })
  replaceFile(files.platformKey, registered.platformPublicKeyPem, 0o644)
  const values = {
    SERVICE_BASE_URL: stubUrl,
    SERVICE_API_KEY: registered.apiKey,
    SERVICE_SIGNING_KEY_FILE: files.signingKey,
    SERVICE_SIGNING_KID: registered.kid,
    SERVICE_PLATFORM_KID: registered.platformKeyKid,
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: files.platformKey,
  }
  replaceFile(files.env, mergeEnv(existsSync(files.env) ? readFileSync(files.env, 'utf8') : '', values), 0o600)
  return { gameServerId: registered.gameServerId, envFile: files.env }
}

/** The text of an env file with some values set: known names in their place, new ones at the end. */
function mergeEnv(existing: string, values: Readonly<Record<string, string>>): string {
  const pending = new Map(Object.entries(values))
  const lines = existing.split('\n').filter((line, at, all) => line !== '' || at < all.length - 1)
  const merged = lines.map((line) => {
    const name = line.slice(0, Math.max(0, line.indexOf('='))).trim()
    const value = pending.get(name)
    pending.delete(name)
    return value === undefined ? line : `${name}=${value}`
  })
  return [...merged, ...[...pending].map(([name, value]) => `${name}=${value}`), ''].join('\n')
}

function publicHalfOf(file: string): string {
  try {
    const key = createPublicKey(createPrivateKey(readFileSync(file)))
    return key.export({ type: 'spki', format: 'pem' })
  } catch (cause) {
    throw new ProvisionError(`${file} is there already and is no private key; move it away or choose another --out`, {
      cause,
    })
  }
}

async function register(stubUrl: string, body: object): Promise<Registered> {
  let response: Response
  try {
    response = await fetch(`${stubUrl}/stub/game-servers`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  } catch (cause) {
    throw new ProvisionError(`no platform-stub answers at ${stubUrl}; start one with \`platform-stub serve\``, {
      cause,
    })
  }
  const answer = (await response.json().catch(() => ({}))) as { data?: Registered; message?: string }
  if (!answer.data)
    throw new ProvisionError(`${stubUrl} refused (${response.status}): ${answer.message ?? 'no reason'}`)
  return answer.data
}

/** Readers see the old text or the new one, whole. */
function replaceFile(file: string, text: string, mode: number): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode })
  renameSync(unfinished, file)
}
