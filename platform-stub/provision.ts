import { type AgentCredentials, agentFiles } from './agent-files.ts'

export interface Provisioning {
  /** The running stub's address. */
  readonly stubUrl: string
  readonly name: string
  readonly webhookUrl: string | undefined
  /** Made if missing. */
  readonly directory: string
}

/** The stub could not be asked, or said no. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError'
}

/** What `POST /stub/game-servers` answers. */
interface Registered extends Omit<AgentCredentials, 'stubUrl'> {
  readonly gameServerId: number
}

/**
 * Registers a game server with a running stub and writes the files of its agent. A signing key that lies there already
 * is kept and its public half registered.
 *
 * @returns The game server's number, and the absolute path of its agent.env.
 * @throws {ProvisionError}
 * @throws {AgentFilesError} Of `agentFiles`.
 */
export async function provision({
  stubUrl,
  name,
  webhookUrl,
  directory,
}: Provisioning): Promise<{ gameServerId: number; envFile: string }> {
  const files = agentFiles(directory)
  const publicKeyPem = files.publicKeyPem()
  const registered = await register(stubUrl, { name, webhookUrl, publicKeyPem })
  files.write({ stubUrl, ...registered })
  return { gameServerId: registered.gameServerId, envFile: files.envFile }
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
