import { sentenceOf } from '../language/problem.ts'
import type { AgentConfig, ConfigReading, WebhookSettings } from './config.ts'
import type { SettingName } from './settings.ts'

/** How a reload ended. */
export type Reloading =
  /** The names of the settings that have another value now. */
  | { readonly ok: true; readonly changed: readonly SettingName[] }
  /** Nothing was applied. One line for each reason. */
  | { readonly ok: false; readonly errors: readonly string[] }

/** What a reload works with. */
export interface LiveConfigOptions {
  /** Reads the whole configuration again. */
  readonly read: () => ConfigReading<AgentConfig>
  /** Reads the token again. If it cannot be read, it is the one in use. */
  readonly readToken: () => string | undefined
  /** Called at the end of each reload. */
  readonly onReload: (reloading: Reloading) => void
}

/** The configuration in use. A reload replaces keys, token and log level; everything else stays as it was at the start. */
export class LiveConfig {
  readonly #options: LiveConfigOptions
  #current: AgentConfig

  constructor(config: AgentConfig, options: LiveConfigOptions) {
    this.#current = config
    this.#options = options
  }

  get current(): AgentConfig {
    return this.#current
  }

  /** Reads the configuration again and applies all of it, or nothing. */
  reload(): Reloading {
    const reloading = this.#replace(this.#options.read())
    this.#options.onReload(reloading)
    return reloading
  }

  /** The token that a reload would take. The caller of a reload may have only this one. */
  readToken(): string | undefined {
    return this.#options.readToken()
  }

  #replace(reading: ConfigReading<AgentConfig>): Reloading {
    if (!reading.ok) return { ok: false, errors: reading.errors.map(sentenceOf) }
    const [before, next] = [this.#current, reading.config]
    const errors = changedFixedSettings(before, next).map((name) => `${name}: ${cannotChange}`)
    if (errors.length > 0) return { ok: false, errors }
    this.#current = next
    return { ok: true, changed: changedSettings(before, next) }
  }
}

const cannotChange = 'cannot change while the agent runs. Restart the agent, or set it back'

type ReloadedField = 'apiKey' | 'signingKey' | 'platformKeys' | 'token' | 'logLevel' | 'warnings'

/** The fields that stay as they were at the start, each with its setting. */
const fixedFields: Readonly<Record<Exclude<keyof AgentConfig, ReloadedField | 'webhook'>, SettingName>> = {
  baseUrl: 'SERVICE_BASE_URL',
  host: 'SERVICE_AGENT_HOST',
  port: 'SERVICE_AGENT_PORT',
  stateDir: 'SERVICE_STATE_DIR',
  spoolDir: 'SERVICE_SPOOL_DIR',
  storeUrl: 'SERVICE_STORE_URL',
  agentName: 'SERVICE_AGENT_NAME',
  world: 'SERVICE_WORLD',
  extraCa: 'SERVICE_CA_FILE',
  httpsProxy: 'HTTPS_PROXY',
  noProxy: 'NO_PROXY',
  attemptTimeoutMs: 'SERVICE_ATTEMPT_TIMEOUT_MS',
  callDeadlineMs: 'SERVICE_CALL_DEADLINE_MS',
  logFile: 'SERVICE_LOG_FILE',
}

/** The token for the forward URL is read again. */
const fixedWebhookFields: Readonly<Record<Exclude<keyof WebhookSettings, 'forwardToken'>, SettingName>> = {
  host: 'SERVICE_WEBHOOK_HOST',
  port: 'SERVICE_WEBHOOK_PORT',
  path: 'SERVICE_WEBHOOK_PATH',
  forwardUrl: 'SERVICE_WEBHOOK_FORWARD_URL',
  ordersBy: 'SERVICE_ORDERS_BY',
}

function changedFixedSettings(before: AgentConfig, next: AgentConfig): SettingName[] {
  const changed = namesOfChanged(fixedFields, before, next)
  if (before.webhook && next.webhook)
    return [...changed, ...namesOfChanged(fixedWebhookFields, before.webhook, next.webhook)]
  return before.webhook === next.webhook ? changed : [...changed, 'SERVICE_WEBHOOK_PORT']
}

function namesOfChanged<Field extends string>(
  names: Readonly<Record<Field, SettingName>>,
  before: Readonly<Record<Field, unknown>>,
  next: Readonly<Record<Field, unknown>>,
): SettingName[] {
  return (Object.keys(names) as Field[]).filter((field) => before[field] !== next[field]).map((field) => names[field])
}

function changedSettings(before: AgentConfig, next: AgentConfig): SettingName[] {
  const changes: Partial<Record<SettingName, boolean>> = {
    SERVICE_API_KEY: before.apiKey !== next.apiKey,
    SERVICE_SIGNING_KEY_FILE: before.signingKey.fingerprint !== next.signingKey.fingerprint,
    SERVICE_SIGNING_KID: before.signingKey.kid !== next.signingKey.kid,
    SERVICE_PLATFORM_KID: !areEqualKeys(before.platformKeys, next.platformKeys),
    SERVICE_AGENT_TOKEN: before.token !== next.token,
    SERVICE_WEBHOOK_FORWARD_TOKEN: before.webhook?.forwardToken !== next.webhook?.forwardToken,
    SERVICE_LOG_LEVEL: before.logLevel !== next.logLevel,
  }
  return (Object.keys(changes) as SettingName[]).filter((name) => changes[name])
}

function areEqualKeys(before: AgentConfig['platformKeys'], next: AgentConfig['platformKeys']): boolean {
  return before.size === next.size && [...before].every(([kid, key]) => next.get(kid)?.equals(key))
}
