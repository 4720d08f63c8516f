import { isAbsolute } from 'node:path'
import { dirSettings } from '../durable-files/dir-unusable.ts'
import { examplePath } from '../durable-files/example-path.ts'
import { problemOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import type { Problem } from '../language/problem.ts'
import { say } from '../language/say.ts'

/** Every variable that the agent reads, with an example for error messages. */
const settings = {
  SERVICE_BASE_URL: 'https://api.example.com/v1',
  SERVICE_API_KEY: 'the key that the platform issued',
  SERVICE_API_KEY_FILE: examplePath('/etc/market-agent/api-key'),
  SERVICE_SIGNING_KEY_FILE: examplePath('/etc/market-agent/signing-key.pem'),
  SERVICE_SIGNING_KID: 'my-server-2026',
  SERVICE_AGENT_PORT: '8899',
  SERVICE_AGENT_HOST: '127.0.0.1',
  SERVICE_AGENT_TOKEN: 'a long random text',
  SERVICE_AGENT_TOKEN_FILE: examplePath('/etc/market-agent/token'),
  ...dirSettings,
  SERVICE_STORE_URL: 'postgres://market_agent:password@db1.example.com,db2.example.com/game',
  SERVICE_STORE_URL_FILE: examplePath('/etc/market-agent/store-url'),
  SERVICE_AGENT_NAME: 'game-host-1',
  SERVICE_WORLD: 'north',
  SERVICE_PLATFORM_KID: 'platform-2026',
  SERVICE_PLATFORM_PUBLIC_KEY_FILE: examplePath('/etc/market-agent/platform-public-key.pem'),
  SERVICE_WEBHOOK_PORT: '8898',
  SERVICE_WEBHOOK_HOST: '127.0.0.1',
  SERVICE_WEBHOOK_PATH: '/webhook',
  SERVICE_WEBHOOK_FORWARD_URL: 'http://127.0.0.1:9000/orders',
  SERVICE_WEBHOOK_FORWARD_TOKEN: 'a long random text',
  SERVICE_WEBHOOK_FORWARD_TOKEN_FILE: examplePath('/etc/market-agent/forward-token'),
  SERVICE_ORDERS_BY: 'url',
  SERVICE_CA_FILE: examplePath('/etc/market-agent/ca.pem'),
  SERVICE_ATTEMPT_TIMEOUT_MS: '10000',
  SERVICE_CALL_DEADLINE_MS: '30000',
  SERVICE_LOG_LEVEL: 'info',
  SERVICE_LOG_FILE: examplePath('/var/log/market-agent/agent.log'),
  HTTPS_PROXY: 'http://proxy.example.com:3128',
  NO_PROXY: 'localhost,.internal',
} as const

/** The name of a variable that the agent reads. */
export type SettingName = keyof typeof settings

/** A value that would be right. */
export function exampleOf(name: SettingName): string {
  return settings[name]
}

/** Other programs have them in lower case. */
const proxyNames: ReadonlySet<string> = new Set(['https_proxy', 'no_proxy'])

/** What to do about a name that is not a setting. */
function cureOfName(name: string): string {
  return Object.hasOwn(settings, name.toUpperCase()) ? cures.writeInUpperCase() : cures.findSetting()
}

/** Where settings come from. */
export interface SettingsSource {
  /** The environment, which wins. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The values of the `--config` file. */
  readonly file: ReadonlyMap<string, string>
  /** The path of the `--config` file, if one is given. */
  readonly filePath?: string | undefined
  /** Text of a file that a setting names. @throws What `readFileSync` throws. */
  readonly readFile: (path: string) => string
  /** A path with its links followed, even if its end does not exist yet. */
  readonly realPath: (path: string) => string
  /** Whether every user of this host can read a file. */
  readonly isReadableByAll: (path: string) => boolean
  /** The state directory, if neither a setting nor systemd names one. */
  readonly usualStateDir: string
  /** The name of this host. */
  readonly hostName: string
}

/** What is allowed and dangerous. */
export interface SettingWarning extends Problem {
  /** Whether others can read a secret. */
  readonly isExposed: boolean
}

/**
 * Reads settings one by one and collects all errors, so that they are reported together. A value that is wrong may be a
 * secret in the wrong place: no error repeats it.
 */
export class SettingsReader {
  readonly errors: Problem[] = []
  readonly warnings: SettingWarning[] = []
  readonly #source: SettingsSource
  readonly #refused = new Set<string>()

  constructor(source: SettingsSource) {
    this.#source = source
    for (const name of source.file.keys()) {
      const shown = /^[A-Za-z_]{1,40}$/.test(name) ? name : say`a name that is not shown, because it may be a secret`
      if (Object.hasOwn(settings, proxyNames.has(name) ? name.toUpperCase() : name)) continue
      this.errors.push({ name: shown, problem: say`not a setting of market-agent`, cure: cureOfName(name) })
    }
    for (const name of Object.keys(source.env)) {
      if (!/^SERVICE_\w{1,40}$/i.test(name) || Object.hasOwn(settings, name)) continue
      // On Windows a variable has its name in each case.
      const isRead = Object.hasOwn(settings, name.toUpperCase()) && source.env[name.toUpperCase()] !== undefined
      if (!isRead) this.warn(name, say`not a setting of market-agent, and ignored`, cureOfName(name))
    }
    for (const name of Object.keys(settings) as SettingName[]) {
      if (!/-----|\p{Cc}/u.test(this.#value(name) ?? '')) continue
      this.addError(
        name,
        say`holds line breaks or the text of a key or certificate; a key is given as the path of its file`,
      )
      this.#refused.add(name)
    }
  }

  /** A path with its links followed. */
  realPath(path: string): string {
    return this.#source.realPath(path)
  }

  /** Adds an error with an example of a right value. */
  addError(name: SettingName, problem: string): undefined {
    this.errors.push({ name, problem, cure: cures.example(settings[name]) })
    return undefined
  }

  /** Adds a warning about what is allowed. */
  warn(name: string, problem: string, cure: string): void {
    this.warnings.push({ name, problem, cure, isExposed: false })
  }

  /** The value of a setting; undefined if it is absent or empty. */
  text(name: SettingName): string | undefined {
    return this.#refused.has(name) ? undefined : this.#value(name)
  }

  /** The value of a setting. Its absence is an error. */
  required(name: SettingName): string | undefined {
    if (this.#value(name) === undefined) this.addError(name, say`missing`)
    return this.text(name)
  }

  /** The value of a setting in decimal digits, or the fallback if it is absent. Another value is an error. */
  wholeNumber(name: SettingName, fallback: number, min: number, max: number): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    this.addError(name, say`not a whole number from ${min} to ${max}`)
    return fallback
  }

  /** The value of a setting out of a few, or the fallback if it is absent. Another value is an error. */
  oneOf<Value extends string>(name: SettingName, values: readonly Value[], fallback: Value): Value {
    const text = this.text(name)
    const value = values.find((candidate) => candidate === text)
    if (text !== undefined && value === undefined) this.addError(name, say`not one of ${values.join(', ')}`)
    return value ?? fallback
  }

  /** The text of the file that a setting names; undefined if the setting is absent. An empty file is an error. */
  file(name: SettingName): string | undefined {
    const path = this.text(name)
    return path === undefined ? undefined : this.fileAt(name, path)
  }

  /** As `file`, for one path of several that a setting names. */
  fileAt(name: SettingName, path: string): string | undefined {
    try {
      const text = this.#source.readFile(path)
      return text.trim() === '' ? this.addError(name, say`the file is empty: ${shownPath(path)}`) : text
    } catch (error) {
      return this.addError(name, `${problemOf(error)}: ${shownPath(path)}`)
    }
  }

  /** A secret that is given itself or as a file that holds it, not both. */
  secret(name: SettingName, fileName: SettingName): string | undefined {
    const given = this.text(name)
    if (given !== undefined && this.text(fileName) !== undefined)
      return this.addError(name, say`give it or ${fileName}, not both`)
    const secret = given ?? this.file(fileName)?.trim()
    if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret))
      return this.addError(name, say`holds spaces, line breaks or characters that no header can carry`)
    if (given === undefined) this.warnIfReadableByAll(fileName, this.text(fileName))
    else if (!this.#source.env[name]) this.warnIfReadableByAll(name, this.#source.filePath)
    return secret
  }

  /** As `secret`. Its absence is an error. */
  requiredSecret(name: SettingName, fileName: SettingName): string | undefined {
    if (this.#value(name) === undefined && this.#value(fileName) === undefined)
      return this.addError(name, say`missing; give it or ${fileName}`)
    return this.secret(name, fileName)
  }

  /** Adds a warning if every user of this host can read a file that holds a secret. */
  warnIfReadableByAll(name: SettingName, path: string | undefined): void {
    if (path !== undefined && this.#source.isReadableByAll(path))
      this.warnings.push({
        name,
        problem: say`every user of this host can read ${shownPath(path)}`,
        cure: cures.closeFile(shownPath(path)),
        isExposed: true,
      })
  }

  #value(name: SettingName): string | undefined {
    const { env, file } = this.#source
    const lower = name.toLowerCase()
    const names = proxyNames.has(lower) ? [name, lower] : [name]
    const values = [...names.map((given) => env[given]), ...names.map((given) => file.get(given))]
    return values.find((value) => value)
  }
}

/** A path for people to read. A text that is not a whole path may be a secret in the wrong place. */
export function shownPath(path: string): string {
  return isAbsolute(path) ? path : say`(not shown, because it is not a whole path)`
}
