import { createPrivateKey, createPublicKey } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { type AgentCredentials, type AgentLocation, agentEnv } from '../marketplace/game-servers/agent-env.ts'
import { UserError } from '../user-error.ts'

/** The folder of an agent's files, before and after a registration. */
export interface AgentFiles {
  /** Absolute. */
  readonly folder: string
  /** agent.env, absolute. */
  readonly envFile: string
  /**
   * Makes the folder and proves that the files can be written. This comes before the registration, because a game server
   * without files would be of no use.
   *
   * @returns The public half of the signing key that is there already; undefined if there is none.
   * @throws {AgentFilesError} Nothing can be written there, or the existing key file has no private key.
   */
  prepare(): string | undefined
  /**
   * Writes `agent.env` (0600), `signing-key.pem` (0600) and `platform-public-key.pem`. An existing key is never
   * overwritten. In an existing `agent.env` only the lines that changed are replaced.
   *
   * @param location Its directories may be relative to the folder where the command runs.
   * @throws {AgentFilesError} The disk refused one of them.
   */
  write(credentials: AgentCredentials, location?: AgentLocation): void
}

/** The folder of an agent's files, or what lies in it, cannot be used. */
class AgentFilesError extends UserError {
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
    prepare() {
      refusing(folder, () => {
        mkdirSync(folder, { recursive: true })
        for (const file of Object.values(files)) proveReplaceable(file)
        if (existsSync(files.env)) readFileSync(files.env)
      })
      return existsSync(files.signingKey) ? publicHalfOf(files.signingKey) : undefined
    },
    write: (credentials, location = {}) => refusing(folder, () => writeFiles(credentials, location)),
  }

  function writeFiles(credentials: AgentCredentials, location: AgentLocation): void {
    const { privateKeyPem, platformPublicKeyPem } = credentials
    const [spoolDir, stateDir] = [location.spoolDir, location.stateDir].map((dir) => dir && resolve(dir))
    // `wx`: an existing key is never overwritten, even if it appeared after prepare().
    if (privateKeyPem) writeFileSync(files.signingKey, privateKeyPem, { mode: 0o600, flag: 'wx' })
    writeFileAtomic.sync(files.platformKey, platformPublicKeyPem, { mode: 0o644 })
    const existing = existsSync(files.env) ? readFileSync(files.env, 'utf8') : ''
    const text = agentEnv(credentials, files, { ...location, spoolDir, stateDir }, existing)
    writeFileAtomic.sync(files.env, text, { mode: 0o600 })
  }
}

/** Turns an error of the file system into one line. */
function refusing(folder: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AgentFilesError(`${folder} cannot hold the agent's files: ${reason}; choose another folder`, { cause })
  }
}

/** @throws The file cannot be replaced. */
function proveReplaceable(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${file} is a folder`)
  const probe = `${file}.${process.pid}`
  writeFileSync(probe, '')
  rmSync(probe)
}

function publicHalfOf(file: string): string {
  try {
    const key = createPublicKey(createPrivateKey(readFileSync(file)))
    return key.export({ type: 'spki', format: 'pem' })
  } catch (cause) {
    throw new AgentFilesError(
      `${file} is there already and is not a private key; move it away or choose another folder`,
      {
        cause,
      },
    )
  }
}
