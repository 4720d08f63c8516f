/** What a game server's agent has to be told. */
export interface AgentSettings {
  /** The stub's address. */
  readonly stubUrl: string
  readonly apiKey: string
  readonly kid: string
  readonly signingKeyFile: string
  readonly platformKid: string
  readonly platformPublicKeyFile: string
}

/** The agent's variables for a game server at this stub, in the order in which they are written. */
export function agentVariables(settings: AgentSettings): Readonly<Record<string, string>> {
  return {
    SERVICE_BASE_URL: settings.stubUrl,
    SERVICE_API_KEY: settings.apiKey,
    SERVICE_SIGNING_KEY_FILE: settings.signingKeyFile,
    SERVICE_SIGNING_KID: settings.kid,
    SERVICE_PLATFORM_KID: settings.platformKid,
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: settings.platformPublicKeyFile,
  }
}
