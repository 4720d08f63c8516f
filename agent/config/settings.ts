/** Every variable that the agent reads, with an example that a fault can show. */
const settings = {
  SERVICE_BASE_URL: 'https://api.example.com/v1',
  SERVICE_API_KEY: 'the key that the platform issued',
  SERVICE_API_KEY_FILE: '/etc/market-agent/api-key',
  SERVICE_SIGNING_KEY_FILE: '/etc/market-agent/signing-key.pem',
  SERVICE_SIGNING_KID: 'my-server-2026',
  SERVICE_AGENT_PORT: '8899',
  SERVICE_AGENT_HOST: '127.0.0.1',
  SERVICE_AGENT_TOKEN: 'a long random text',
  SERVICE_AGENT_TOKEN_FILE: '/etc/market-agent/token',
  SERVICE_SPOOL_DIR: '/var/spool/market-agent',
  SERVICE_STATE_DIR: '/var/lib/market-agent',
  SERVICE_PLATFORM_KID: 'platform-2026',
  SERVICE_PLATFORM_PUBLIC_KEY_FILE: '/etc/market-agent/platform-public-key.pem',
  SERVICE_WEBHOOK_PORT: '8898',
  SERVICE_WEBHOOK_HOST: '127.0.0.1',
  SERVICE_WEBHOOK_PATH: '/webhook',
  SERVICE_WEBHOOK_FORWARD_URL: 'http://127.0.0.1:9000/orders',
  SERVICE_CA_FILE: '/etc/market-agent/ca.pem',
  SERVICE_ATTEMPT_TIMEOUT_MS: '10000',
  SERVICE_CALL_DEADLINE_MS: '30000',
  SERVICE_LOG_LEVEL: 'info',
  SERVICE_LOG_FILE: '/var/log/market-agent/agent.log',
  HTTPS_PROXY: 'http://proxy.example.com:3128',
  NO_PROXY: 'localhost,.internal',
} as const

const usualLine = `SERVICE_AGENT_PORT=${settings.SERVICE_AGENT_PORT}`

/** The name of a variable that the agent reads. */
export type SettingName = keyof typeof settings

/** A value that would be right. */
export function exampleOf(name: SettingName): string {
  return settings[name]
}

/** Where settings come from. */
export interface SettingsSource {
  /** The environment, which wins. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The `--config` file's values. */
  readonly file: ReadonlyMap<string, string>
  /** Text of a file that a setting names. @throws What `readFileSync` throws. */
  readonly readFile: (path: string) => string
  /** Where a path leads when links are followed, also while the end of it is not there yet. */
  readonly realPath: (path: string) => string
}

/** Reads settings one by one and gathers everything that is wrong with them, so that all is told at once. */
export class SettingsReader {
  readonly faults: string[] = []
  readonly #source: SettingsSource

  constructor(source: SettingsSource) {
    this.#source = source
    for (const name of source.file.keys()) {
      if (!Object.hasOwn(settings, name.toUpperCase()))
        this.faults.push(
          `${name}: not a setting of market-agent; the README has a table of them. Example: ${usualLine}`,
        )
    }
  }

  /** Where a path leads when links are followed. */
  realPath(path: string): string {
    return this.#source.realPath(path)
  }

  /** Notes what is wrong with a setting, with an example of one that is right. */
  fault(name: SettingName, problem: string): undefined {
    this.faults.push(`${name}: ${problem}. Example: ${settings[name]}`)
    return undefined
  }

  /** A setting's value; undefined where it is absent or empty. */
  text(name: SettingName): string | undefined {
    const { env, file } = this.#source
    const isProxy = name === 'HTTPS_PROXY' || name === 'NO_PROXY'
    const value =
      env[name] || (isProxy && env[name.toLowerCase()]) || file.get(name) || (isProxy && file.get(name.toLowerCase()))
    return value || undefined
  }

  /** A setting's value. That it is missing is a fault. */
  required(name: SettingName): string | undefined {
    return this.text(name) ?? this.fault(name, 'missing')
  }

  /** A setting's value in decimal digits, or the fallback where it is absent. Another value is a fault. */
  wholeNumber(name: SettingName, fallback: number, min: number, max: number): number {
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    this.fault(name, `${JSON.stringify(text)} is not a whole number from ${min} to ${max}`)
    return fallback
  }

  /** A setting's value out of a few, or the fallback where it is absent. Another value is a fault. */
  oneOf<Value extends string>(name: SettingName, values: readonly Value[], fallback: Value): Value {
    const text = this.text(name)
    const value = values.find((candidate) => candidate === text)
    if (text !== undefined && value === undefined)
      this.fault(name, `${JSON.stringify(text)} is none of ${values.join(', ')}`)
    return value ?? fallback
  }

  /** The text of the file that a setting names; undefined where the setting is absent. An empty file is a fault. */
  file(name: SettingName): string | undefined {
    const path = this.text(name)
    return path === undefined ? undefined : this.fileAt(name, path)
  }

  /** As `file`, for one path of several that a setting names. */
  fileAt(name: SettingName, path: string): string | undefined {
    try {
      const text = this.#source.readFile(path)
      return text.trim() === '' ? this.fault(name, `the file is empty: ${path}`) : text
    } catch (error) {
      return this.fault(name, `${fileProblem(error)}: ${path}`)
    }
  }

  /** A secret that is given itself or as a file that holds it, not both. */
  secret(name: SettingName, fileName: SettingName): string | undefined {
    const given = this.text(name)
    if (given !== undefined && this.text(fileName) !== undefined)
      return this.fault(name, `give it or ${fileName}, not both`)
    const secret = given ?? this.file(fileName)?.trim()
    if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret))
      return this.fault(name, 'holds spaces, line breaks or characters that no header can carry')
    return secret
  }
}

function fileProblem(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'no such file'
    case 'EACCES':
      return 'no permission to read the file'
    case 'EISDIR':
      return 'a directory, not a file'
    default:
      return 'the file cannot be read'
  }
}
