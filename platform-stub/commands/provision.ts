import { isIP } from 'node:net'
import * as z from 'zod/mini'
import { agentFiles } from '../developer/agent-files.ts'
import type { AgentLocation, BridgeSettings } from '../marketplace/game-servers/agent-env.ts'
import { makeRandom } from '../server/random.ts'
import { exitCodes, UserError } from '../user-error.ts'
import { askStub } from './ask-stub.ts'

/** The game server to register, and the folder for the files of its agent. */
export interface ProvisionFlags extends Omit<AgentLocation, 'bridge'> {
  /** The running stub's address. */
  readonly url: string
  readonly name: string
  readonly webhookUrl?: string
  /** The agent receives the webhooks. */
  readonly bridge?: boolean
  readonly forwardUrl?: string
  /** A folder, made if missing. */
  readonly out: string
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

/** Where an agent receives webhooks if no address is given. */
const usualBridgeUrl = 'http://127.0.0.1:8898/webhook'

/** The bridge does not go with the address for webhooks. */
class BridgeAddressError extends UserError {
  override readonly name = 'BridgeAddressError'
  override readonly exitCode = exitCodes.usage
}

/**
 * The settings of the agent that receives webhooks at an address: its port and path are the bridge's.
 *
 * @throws {BridgeAddressError} The agent cannot listen there.
 */
function bridgeAt(webhookUrl: string, forwardUrl: string | undefined): BridgeSettings {
  const { protocol, hostname, port, pathname, search } = new URL(webhookUrl)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (protocol !== 'http:' || search !== '' || (isIP(host) === 0 && host !== 'localhost'))
    throw new BridgeAddressError(
      `--bridge: the agent cannot listen at ${webhookUrl}; give --webhook-url an http address of this host. Example: ${usualBridgeUrl}`,
    )
  const forward =
    forwardUrl === undefined ? undefined : { url: forwardUrl, newToken: makeRandom(null).token('forward', forwardUrl) }
  return { host, port: port === '' ? 80 : Number(port), path: pathname, forward }
}

/**
 * Registers a game server with a running stub and writes the files of its agent. An existing signing key is kept, and its
 * public half is registered.
 *
 * @returns The game server's number, and the absolute path of its agent.env.
 * @throws {BridgeAddressError} Of `bridgeAt`.
 * @throws {AskStubError} Of `askStub`.
 * @throws {AgentFilesError} Of `agentFiles`.
 */
export async function provision({ url, name, out, webhookUrl, bridge, forwardUrl, ...location }: ProvisionFlags) {
  const address = webhookUrl ?? (bridge ? usualBridgeUrl : undefined)
  const bridgeSettings = bridge && address !== undefined ? bridgeAt(address, forwardUrl) : undefined
  const files = agentFiles(out)
  const body = { name, webhookUrl: address, publicKeyPem: files.prepare() }
  const { gameServerId, baseUrl, ...credentials } = (await askStub(url, '/stub/game-servers', registered, body)).data
  files.write({ stubUrl: baseUrl, ...credentials }, { ...location, bridge: bridgeSettings })
  return { gameServerId, envFile: files.envFile }
}
