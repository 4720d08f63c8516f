import { createPrivateKey, createPublicKey } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { agentVariables } from './game-servers/agent-env.ts'

/** What an agent has to know of its game server's registration. */
export interface AgentCredentials {
  readonly stubUrl: string
  readonly apiKey: string
  readonly kid: string
  /** Null where the game server's own key was registered. */
  readonly privateKeyPem: string | null
  readonly platformKeyKid: string
  readonly platformPublicKeyPem: string
}

/** The folder of an agent's files, before and after a registration. */
export interface AgentFiles {
  /** Absolute. */
  readonly folder: string
  /** agent.env, absolute. */
  readonly envFile: string
  /**
   * Public half of the signing key that lies there already, undefined where none does.
   *
   * @throws {AgentFilesError} What lies there is no private key.
   */
  publicKeyPem(): string | undefined
  /**
   * Writes `agent.env` (0600), `signing-key.pem` (0600) and `platform-public-key.pem`. A key that lies there is never
   * overwritten; of an `agent.env` that lies there only the lines that changed are replaced.
   */
  write(credentials: AgentCredentials): void
}

/** The key that lies in the folder cannot be used. */
export class AgentFilesError extends Error {
  override readonly name = 'AgentFilesError'
}

/** @param directory Made if missing, when something is written. */
export function agentFiles(directory: string): AgentFiles {
  const folder = resolve(directory)
  const files = {
    env: join(folder, 'agent.env'),
    signingKey: join(folder, 'signing-key.pem'),
    platformKey: join(folder, 'platform-public-key.pem'),
  }
  return {
    folder,
    envFile: files.env,
    publicKeyPem: () => (existsSync(files.signingKey) ? publicHalfOf(files.signingKey) : undefined),
    write({ stubUrl, apiKey, kid, privateKeyPem, platformKeyKid, platformPublicKeyPem }) {
      mkdirSync(folder, { recursive: true })
      // `wx`: whatever happened since we looked, an existing key is never overwritten.
      if (privateKeyPem) writeFileSync(files.signingKey, privateKeyPem, { mode: 0o600, flag: 'wx' })
      replaceFile(files.platformKey, platformPublicKeyPem, 0o644)
      const values = agentVariables({
        stubUrl,
        apiKey,
        kid,
        signingKeyFile: files.signingKey,
        platformKid: platformKeyKid,
        platformPublicKeyFile: files.platformKey,
      })
      const existing = existsSync(files.env) ? readFileSync(files.env, 'utf8') : ''
      replaceFile(files.env, mergeEnv(existing, values), 0o600)
    },
  }
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
    throw new AgentFilesError(`${file} is there already and is no private key; move it away or choose another folder`, {
      cause,
    })
  }
}

/** Readers see the old text or the new one, whole. */
function replaceFile(file: string, text: string, mode: number): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode })
  renameSync(unfinished, file)
}
