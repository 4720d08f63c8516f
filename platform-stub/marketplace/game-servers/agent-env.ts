/** What a game server's agent has to be told. */
export interface AgentSettings {
  /** The stub's address. */
  readonly stubUrl: string
  readonly apiKey: string
  readonly kid: string
  readonly signingKeyFile: string
  readonly platformKid: string
  readonly platformPublicKeyFile: string
  /** What is left out is not written: the agent then uses its own default. */
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
  /** Where the game server takes orders; undefined where it uses files or asks. */
  readonly forwardUrl: string | undefined
}

/** The agent's variables for a game server at this stub, in the order in which they are written. */
export function agentVariables(settings: AgentSettings): Readonly<Record<string, string>> {
  const { agentPort, spoolDir, stateDir, bridge } = settings
  return {
    SERVICE_BASE_URL: settings.stubUrl,
    SERVICE_API_KEY: settings.apiKey,
    SERVICE_SIGNING_KEY_FILE: settings.signingKeyFile,
    SERVICE_SIGNING_KID: settings.kid,
    SERVICE_PLATFORM_KID: settings.platformKid,
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: settings.platformPublicKeyFile,
    ...(agentPort !== undefined && { SERVICE_AGENT_PORT: String(agentPort) }),
    ...(spoolDir !== undefined && { SERVICE_SPOOL_DIR: spoolDir }),
    ...(stateDir !== undefined && { SERVICE_STATE_DIR: stateDir }),
    ...(bridge && {
      SERVICE_WEBHOOK_PORT: String(bridge.port),
      SERVICE_WEBHOOK_HOST: bridge.host,
      SERVICE_WEBHOOK_PATH: bridge.path,
      ...(bridge.forwardUrl !== undefined && { SERVICE_WEBHOOK_FORWARD_URL: bridge.forwardUrl }),
    }),
  }
}
