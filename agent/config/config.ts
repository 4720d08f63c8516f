import { type KeyObject, X509Certificate } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { isAbsolute, relative } from 'node:path'
import { limits } from '../../contract/limits.ts'
import { cures } from '../language/cures.ts'
import type { Problem } from '../language/problem.ts'
import { say } from '../language/say.ts'
import { KeyFileError, readPlatformKey, readSigningKey, type SigningKey } from '../signing/signing-key.ts'
import { SettingsReader, type SettingsSource, type SettingWarning, shownPath } from './settings.ts'
import { readStoreUrl } from './store-url.ts'

/** The whole configuration, parsed. The rest of the agent reads no variable and checks no value again. */
export interface AgentConfig extends DaemonAddress {
  /** The platform's base address without `/v1` and trailing slash. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly signingKey: SigningKey
  readonly stateDir: string
  /** Enables interface C. */
  readonly spoolDir: string | undefined
  /** A store that agents share, which `readStoreUrl` understands; undefined for an agent that shares nothing. It has a password. */
  readonly storeUrl: string | undefined
  /** Of this agent among those that share the store. */
  readonly agentName: string
  /** The game server that this agent serves, among those of one identity; empty for the only one. */
  readonly world: string
  /** The platform's verifying keys by kid; empty where none is configured. */
  readonly platformKeys: ReadonlyMap<string, KeyObject>
  /** Turns on the webhook bridge. */
  readonly webhook: WebhookSettings | undefined
  /** PEM. */
  readonly extraCa: string | undefined
  readonly httpsProxy: string | undefined
  readonly noProxy: string | undefined
  readonly attemptTimeoutMs: number
  readonly callDeadlineMs: number
  readonly logLevel: LogLevel
  readonly logFile: string | undefined
  /** What is allowed and dangerous, without a secret. */
  readonly warnings: readonly SettingWarning[]
}

/** Longer than a healthy platform ever needs. Three attempts fit into the time of a call. */
const usualAttemptTimeoutMs = 10_000
const usualCallDeadlineMs = 30_000

/** Where the platform's webhooks arrive, and where they go. */
export interface WebhookSettings {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The only path that is served. */
  readonly path: string
  /** Where the game server takes them; undefined where it uses files or asks. */
  readonly forwardUrl: string | undefined
  /** Sent to the forward URL, so that the game server can tell the agent from a stranger. */
  readonly forwardToken: string | undefined
  /** How orders reach the game server. It can always ask for them too. */
  readonly ordersBy: OrdersBy
}

const ordersBy = ['url', 'files', 'asking'] as const
/** A way of orders to the game server. */
export type OrdersBy = (typeof ordersBy)[number]

/** Where the daemon listens, and the token it asks for. */
export interface DaemonAddress {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly token: string | undefined
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
/** The lowest level that is logged. */
export type LogLevel = (typeof logLevels)[number]

/** What could be read of a configuration with errors. A setting with an error has its default here. */
export type PartialConfig = Omit<AgentConfig, 'baseUrl' | 'apiKey' | 'signingKey'> &
  Partial<Pick<AgentConfig, 'signingKey'>>

/** A configuration, or all errors in it. */
export type ConfigReading<Config> =
  | { readonly ok: true; readonly config: Config }
  /** All errors: the variable, what is wrong, an example. */
  | {
      readonly ok: false
      readonly errors: readonly Problem[]
      /** What could be read of the daemon's configuration. */
      readonly partial?: PartialConfig
    }

/** Reads the whole configuration of the daemon and reports all errors together. */
export function readAgentConfig(source: SettingsSource): ConfigReading<AgentConfig> {
  const reader = new SettingsReader(source)
  const baseUrl = readBaseUrl(reader)
  const apiKey = reader.requiredSecret('SERVICE_API_KEY', 'SERVICE_API_KEY_FILE')
  const signingKey = readOwnKey(reader)
  if (apiKey !== undefined && signingKey?.kid === apiKey)
    reader.addError('SERVICE_SIGNING_KID', say`is the API key as well`)
  const rest = {
    ...readAddress(reader),
    stateDir:
      reader.text('SERVICE_STATE_DIR') ?? (source.env['STATE_DIRECTORY']?.split(':')[0] || source.usualStateDir),
    spoolDir: reader.text('SERVICE_SPOOL_DIR'),
    ...readSharing(reader, source.hostName),
    platformKeys: readPlatformKeys(reader),
    extraCa: readExtraCa(reader),
    httpsProxy: readProxy(reader),
    noProxy: reader.text('NO_PROXY'),
    attemptTimeoutMs: reader.wholeNumber('SERVICE_ATTEMPT_TIMEOUT_MS', usualAttemptTimeoutMs, 100, 300_000),
    callDeadlineMs: reader.wholeNumber('SERVICE_CALL_DEADLINE_MS', usualCallDeadlineMs, 1_000, 3_600_000),
    logLevel: reader.oneOf('SERVICE_LOG_LEVEL', logLevels, 'info'),
    logFile: reader.text('SERVICE_LOG_FILE'),
  }
  const webhook = readWebhookSettings(reader, rest)
  if (rest.spoolDir !== undefined) refuseMixedDirs(reader, rest.spoolDir, rest.stateDir)
  warnOfTimes(reader, rest)
  if (source.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') warnOfTls(reader)
  const read = { ...rest, webhook, warnings: reader.warnings }
  if (reader.errors.length > 0 || baseUrl === undefined || apiKey === undefined || signingKey === undefined) {
    return { ok: false, errors: reader.errors, partial: { ...read, ...(signingKey && { signingKey }) } }
  }
  return { ok: true, config: { baseUrl, apiKey, signingKey, ...read } }
}

function warnOfTimes(
  reader: SettingsReader,
  { attemptTimeoutMs, callDeadlineMs }: Pick<AgentConfig, 'attemptTimeoutMs' | 'callDeadlineMs'>,
): void {
  if (attemptTimeoutMs <= callDeadlineMs) return
  const problem = say`longer than SERVICE_CALL_DEADLINE_MS, which ends a call before its first attempt may be over`
  reader.warn('SERVICE_ATTEMPT_TIMEOUT_MS', problem, cures.shortenAttempts())
}

function warnOfTls(reader: SettingsReader): void {
  const problem = say`ignored, because any server could take the API key`
  reader.warn('NODE_TLS_REJECT_UNAUTHORIZED', problem, cures.trustPrivateCa())
}

/** Reads what a command needs to reach the running daemon. */
export function readDaemonAddress(source: SettingsSource): ConfigReading<DaemonAddress> {
  const reader = new SettingsReader(source)
  const config = readAddress(reader)
  return reader.errors.length > 0 ? { ok: false, errors: reader.errors } : { ok: true, config }
}

function readAddress(reader: SettingsReader): DaemonAddress {
  return {
    host: readLoopbackHost(reader),
    port: reader.wholeNumber('SERVICE_AGENT_PORT', limits.agentPort, 0, 65_535),
    token: reader.secret('SERVICE_AGENT_TOKEN', 'SERVICE_AGENT_TOKEN_FILE'),
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIPv4(host))

function readLoopbackHost(reader: SettingsReader): string {
  const host = reader.text('SERVICE_AGENT_HOST') ?? '127.0.0.1'
  if (!isLoopback(host))
    reader.addError('SERVICE_AGENT_HOST', say`not a loopback address; the agent signs for everyone that reaches it`)
  return host
}

function readBaseUrl(reader: SettingsReader): string | undefined {
  const text = reader.required('SERVICE_BASE_URL')
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return reader.addError('SERVICE_BASE_URL', say`not an http(s) address`)
  if (url.username || url.password || url.search || url.hash)
    return reader.addError('SERVICE_BASE_URL', say`holds a user, a query or a fragment`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))) {
    return reader.addError('SERVICE_BASE_URL', say`http is for loopback only; use https`)
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '')
}

function readOwnKey(reader: SettingsReader): SigningKey | undefined {
  const kid = reader.required('SERVICE_SIGNING_KID')
  const path = reader.required('SERVICE_SIGNING_KEY_FILE')
  const pem = path === undefined ? undefined : reader.fileAt('SERVICE_SIGNING_KEY_FILE', path)
  reader.warnIfReadableByAll('SERVICE_SIGNING_KEY_FILE', path)
  if (kid !== undefined && kid.length > 200)
    reader.addError('SERVICE_SIGNING_KID', say`longer than 200 characters; a kid is the name of the key`)
  if (pem === undefined) return undefined
  // The file is judged without a kid too: all errors are reported together.
  const key = keyOrError(
    () => readSigningKey(pem, kid ?? ''),
    (problem) => reader.addError('SERVICE_SIGNING_KEY_FILE', `${problem}: ${shownPath(path ?? '')}`),
  )
  return kid === undefined ? undefined : key
}

/** The store that agents share, and who this agent is among them. */
function readSharing(reader: SettingsReader, hostName: string): Pick<AgentConfig, 'storeUrl' | 'agentName' | 'world'> {
  const storeUrl = reader.secret('SERVICE_STORE_URL', 'SERVICE_STORE_URL_FILE')
  const reading = storeUrl === undefined ? undefined : readStoreUrl(storeUrl)
  if (reading && !reading.ok) reader.addError('SERVICE_STORE_URL', reading.problem)
  const agentName = reader.text('SERVICE_AGENT_NAME') ?? hostName
  const world = reader.text('SERVICE_WORLD') ?? ''
  const isName = (name: string) => /^[\w.-]{1,64}$/.test(name)
  const problem = say`has more than 64 characters, or others than letters, digits, ".", "_" and "-"`
  if (storeUrl !== undefined && !isName(agentName)) reader.addError('SERVICE_AGENT_NAME', problem)
  if (storeUrl !== undefined && world !== '' && !isName(world)) reader.addError('SERVICE_WORLD', problem)
  for (const setting of ['SERVICE_AGENT_NAME', 'SERVICE_WORLD'] as const)
    if (storeUrl === undefined && reader.text(setting) !== undefined)
      reader.warn(setting, say`ignored without SERVICE_STORE_URL`, cures.setStoreUrl())
  return { storeUrl, agentName, world }
}

function readPlatformKeys(reader: SettingsReader): ReadonlyMap<string, KeyObject> {
  const kids = listOf(reader.text('SERVICE_PLATFORM_KID'))
  const paths = listOf(reader.text('SERVICE_PLATFORM_PUBLIC_KEY_FILE'))
  if (kids.length !== paths.length) {
    reader.addError(
      'SERVICE_PLATFORM_KID',
      say`names ${kids.length} keys, SERVICE_PLATFORM_PUBLIC_KEY_FILE ${paths.length} files; give one file for each kid`,
    )
  }
  const twice = kids.find((kid, index) => kids.indexOf(kid) !== index)
  if (twice !== undefined)
    reader.addError('SERVICE_PLATFORM_KID', say`names one kid twice; each key has a kid of its own`)
  const keys = new Map<string, KeyObject>()
  for (const [index, path] of paths.entries()) {
    const pem = reader.fileAt('SERVICE_PLATFORM_PUBLIC_KEY_FILE', path)
    const key =
      pem === undefined
        ? undefined
        : keyOrError(
            () => readPlatformKey(pem),
            (problem) => reader.addError('SERVICE_PLATFORM_PUBLIC_KEY_FILE', `${problem}: ${shownPath(path)}`),
          )
    const kid = kids[index]
    if (key && kid !== undefined) keys.set(kid, key)
  }
  return keys
}

function keyOrError<Key>(read: () => Key, onError: (problem: string) => undefined): Key | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error
    return onError(error.message)
  }
}

function readExtraCa(reader: SettingsReader): string | undefined {
  const pem = reader.file('SERVICE_CA_FILE')
  if (pem === undefined) return undefined
  try {
    for (const [certificate] of pem.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g))
      new X509Certificate(certificate)
  } catch {
    return reader.addError('SERVICE_CA_FILE', say`holds a certificate that cannot be read`)
  }
  return pem.includes('-----BEGIN CERTIFICATE-----')
    ? pem
    : reader.addError('SERVICE_CA_FILE', say`holds no certificate in PEM`)
}

/** The state must not be where game servers write, not even through links. */
function refuseMixedDirs(reader: SettingsReader, spoolDir: string, stateDir: string): void {
  const fromSpool = relative(reader.realPath(spoolDir), reader.realPath(stateDir))
  if (fromSpool === '') {
    reader.addError('SERVICE_SPOOL_DIR', say`is the state directory as well; give each a directory of its own`)
  } else if (!isAbsolute(fromSpool) && !/^\.\.(?:[/\\]|$)/.test(fromSpool)) {
    reader.addError('SERVICE_STATE_DIR', say`lies in the spool, where game servers write; give it a directory outside`)
  }
}

function readProxy(reader: SettingsReader): string | undefined {
  const proxy = reader.text('HTTPS_PROXY')
  if (proxy === undefined || /^https?:$/.test(URL.parse(proxy)?.protocol ?? '')) return proxy
  return reader.addError('HTTPS_PROXY', say`not an http(s) address`)
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** They do nothing without the port. */
const settingsOfBridge = [
  'SERVICE_WEBHOOK_HOST',
  'SERVICE_WEBHOOK_PATH',
  'SERVICE_WEBHOOK_FORWARD_URL',
  'SERVICE_WEBHOOK_FORWARD_TOKEN',
  'SERVICE_WEBHOOK_FORWARD_TOKEN_FILE',
  'SERVICE_ORDERS_BY',
] as const

/** The settings of the webhook bridge; undefined while it is off. */
function readWebhookSettings(
  reader: SettingsReader,
  agent: Pick<AgentConfig, 'port' | 'platformKeys' | 'spoolDir'>,
): WebhookSettings | undefined {
  if (reader.text('SERVICE_WEBHOOK_PORT') === undefined) {
    for (const name of settingsOfBridge) {
      if (reader.text(name) !== undefined) reader.addError(name, say`does nothing without SERVICE_WEBHOOK_PORT`)
    }
    return undefined
  }
  const port = reader.wholeNumber('SERVICE_WEBHOOK_PORT', 0, 0, 65_535)
  if (port !== 0 && port === agent.port)
    reader.addError('SERVICE_WEBHOOK_PORT', say`is SERVICE_AGENT_PORT as well; give each a port of its own`)
  if (agent.platformKeys.size === 0)
    reader.addError('SERVICE_WEBHOOK_PORT', say`needs SERVICE_PLATFORM_KID and SERVICE_PLATFORM_PUBLIC_KEY_FILE`)
  const host = reader.text('SERVICE_WEBHOOK_HOST') ?? '127.0.0.1'
  if (isIP(host) === 0 && host !== 'localhost')
    reader.addError('SERVICE_WEBHOOK_HOST', say`not an IP address of this host, or localhost`)
  const path = reader.text('SERVICE_WEBHOOK_PATH') ?? '/webhook'
  if (!/^\/[\w.~/-]{0,200}$/.test(path))
    reader.addError('SERVICE_WEBHOOK_PATH', say`not a path of letters, digits, ".", "_", "~", "-" and "/"`)
  const forwardUrl = readForwardUrl(reader)
  const forwardToken = reader.secret('SERVICE_WEBHOOK_FORWARD_TOKEN', 'SERVICE_WEBHOOK_FORWARD_TOKEN_FILE')
  if (forwardToken !== undefined && forwardUrl === undefined)
    reader.addError('SERVICE_WEBHOOK_FORWARD_TOKEN', say`does nothing without SERVICE_WEBHOOK_FORWARD_URL`)
  return { host, port, path, forwardUrl, forwardToken, ordersBy: readOrdersBy(reader, forwardUrl, agent.spoolDir) }
}

/** It follows from the settings and can be said directly. */
function readOrdersBy(reader: SettingsReader, forwardUrl: string | undefined, spoolDir: string | undefined): OrdersBy {
  const name = 'SERVICE_ORDERS_BY'
  const usual = forwardUrl !== undefined ? 'url' : spoolDir !== undefined ? 'files' : 'asking'
  const by = reader.oneOf(name, ordersBy, usual)
  if (by === 'url' && reader.text('SERVICE_WEBHOOK_FORWARD_URL') === undefined)
    reader.addError(name, say`url needs SERVICE_WEBHOOK_FORWARD_URL`)
  if (by === 'files' && spoolDir === undefined) reader.addError(name, say`files needs SERVICE_SPOOL_DIR`)
  return by
}

function readForwardUrl(reader: SettingsReader): string | undefined {
  const name = 'SERVICE_WEBHOOK_FORWARD_URL'
  const text = reader.text(name)
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return reader.addError(name, say`not an http(s) address`)
  if (url.username || url.password || url.hash) return reader.addError(name, say`holds a user or a fragment`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1')))
    reader.warn(name, say`orders leave this host unencrypted`, cures.encryptOrders())
  return url.href
}
