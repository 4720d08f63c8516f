import type { credentialsOf } from './register.ts'

/** What a registration gives to the agent. The private key is null if the game server's own key was registered. */
export type AgentCredentials = ReturnType<typeof credentialsOf> & { readonly stubUrl: string }

/**
 * How the agent is to run on its host. A setting that is left out is not written: the agent then uses its own default.
 */
export interface AgentLocation {
  readonly agentPort?: number | undefined
  readonly spoolDir?: string | undefined
  readonly stateDir?: string | undefined
  readonly bridge?: BridgeSettings | undefined
}

/** Where the agent receives the platform's webhooks. */
export interface BridgeSettings {
  readonly host: string
  readonly port: number
  readonly path: string
  /**
   * Where the game server accepts orders, and a token by which it knows the agent; undefined where it uses files or asks. A
   * token that the agent has already stays.
   */
  readonly forward: { readonly url: string; readonly newToken: string } | undefined
}

/** Set once: a game server that knows its agent by this token still knows it. */
const tokenName = 'SERVICE_WEBHOOK_FORWARD_TOKEN'

/**
 * The text of an agent.env: the lines of a game server at this stub. Of an existing text, only the lines with these names
 * are replaced, and new ones come at its end.
 */
export function agentEnv(
  credentials: Parameters<typeof variablesOf>[0],
  files: Parameters<typeof variablesOf>[1],
  location: AgentLocation,
  existing: string,
): string {
  const pending = new Map(Object.entries(variablesOf(credentials, files, location)))
  const lines = existing.split('\n').filter((line, at, all) => line !== '' || at < all.length - 1)
  const merged = lines.map((line) => {
    const name = line.slice(0, Math.max(0, line.indexOf('='))).trim()
    const value = pending.get(name)
    pending.delete(name)
    return value === undefined || name === tokenName ? line : `${name}=${value}`
  })
  return [...merged, ...[...pending].map(([name, value]) => `${name}=${value}`), ''].join('\n')
}

/** The agent's variables, in the order in which they are written. */
function variablesOf(
  { stubUrl, apiKey, kid, platformKeyKid }: Omit<AgentCredentials, 'privateKeyPem' | 'platformPublicKeyPem'>,
  files: { readonly signingKey: string; readonly platformKey: string },
  { agentPort, spoolDir, stateDir, bridge }: AgentLocation,
): Readonly<Record<string, string>> {
  return {
    SERVICE_BASE_URL: stubUrl,
    SERVICE_API_KEY: apiKey,
    SERVICE_SIGNING_KEY_FILE: files.signingKey,
    SERVICE_SIGNING_KID: kid,
    SERVICE_PLATFORM_KID: platformKeyKid,
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: files.platformKey,
    ...(agentPort !== undefined && { SERVICE_AGENT_PORT: String(agentPort) }),
    ...(spoolDir !== undefined && { SERVICE_SPOOL_DIR: spoolDir }),
    ...(stateDir !== undefined && { SERVICE_STATE_DIR: stateDir }),
    ...(bridge && {
      SERVICE_WEBHOOK_PORT: String(bridge.port),
      SERVICE_WEBHOOK_HOST: bridge.host,
      SERVICE_WEBHOOK_PATH: bridge.path,
      ...(bridge.forward && {
        SERVICE_WEBHOOK_FORWARD_URL: bridge.forward.url,
        [tokenName]: bridge.forward.newToken,
      }),
    }),
  }
}
