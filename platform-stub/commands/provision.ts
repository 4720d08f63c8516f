import * as z from 'zod/mini'
import { type AgentLocation, agentFiles } from '../marketplace/game-servers/agent-files.ts'
import { askStub } from './ask-stub.ts'

/** The game server to register, and the folder for the files of its agent. */
export interface Provisioning extends AgentLocation {
  /** The running stub's address. */
  readonly stubUrl: string
  readonly name: string
  readonly webhookUrl: string | undefined
  /** Made if missing. */
  readonly directory: string
}

/** What `POST /stub/game-servers` answers. */
const registered = z.object({
  gameServerId: z.int(),
  baseUrl: z.string(),
  apiKey: z.string(),
  kid: z.string(),
  privateKeyPem: z.nullable(z.string()),
  platformKeyKid: z.string(),
  platformPublicKeyPem: z.string(),
})

/**
 * Registers a game server with a running stub and writes the files of its agent. An existing signing key is kept, and its
 * public half is registered.
 *
 * @returns The game server's number, and the absolute path of its agent.env.
 * @throws {AskStubError} Of `askStub`.
 * @throws {AgentFilesError} Of `agentFiles`.
 */
export async function provision({
  stubUrl,
  name,
  webhookUrl,
  directory,
  ...place
}: Provisioning): Promise<{ gameServerId: number; envFile: string }> {
  const files = agentFiles(directory)
  const publicKeyPem = files.prepare()
  const body = { name, webhookUrl, publicKeyPem }
  const { gameServerId, baseUrl, ...credentials } = (await askStub(stubUrl, '/stub/game-servers', registered, body))
    .data
  files.write({ stubUrl: baseUrl, ...credentials }, place)
  return { gameServerId, envFile: files.envFile }
}
