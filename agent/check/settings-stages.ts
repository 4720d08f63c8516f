import type { AgentConfig, ConfigReading } from '../config/config.ts'
import type { SettingName } from '../config/settings.ts'
import { say } from '../language/say.ts'
import { type Check, type CheckName, right, splitCure, unknown, type Verdict, warning, wrong } from './check.ts'

/** Settings whose errors belong to a stage of their own. */
const stageOfSetting: Readonly<Partial<Record<SettingName, CheckName>>> = {
  SERVICE_SIGNING_KEY_FILE: 'signing-key',
  SERVICE_SIGNING_KID: 'signing-key',
  SERVICE_PLATFORM_KID: 'platform-keys',
  SERVICE_PLATFORM_PUBLIC_KEY_FILE: 'platform-keys',
}

const stages = ['settings', 'files', 'signing-key', 'platform-keys'] as const

/** Settings, the files that they name, and the keys. Each error is a check of its own. */
export function settingsChecks(reading: ConfigReading<AgentConfig>): Check[] {
  const { errors, warnings } = reading.ok
    ? { errors: [], warnings: reading.config.warnings }
    : { errors: reading.errors, warnings: reading.partial?.warnings ?? [] }
  const found: Check[] = [
    ...errors.map((text) => checkOf(stageOfSetting[nameIn(text)] ?? 'settings', text, wrong)),
    ...warnings.map((text) =>
      text.includes(readableByAll) ? checkOf('files', text, wrong) : checkOf('settings', text, warning),
    ),
  ]
  return stages.flatMap((name) => {
    const faults = found.filter((check) => check.name === name)
    return faults.length > 0 ? faults : [{ name, ...verdictWithoutFault(name, reading) }]
  })
}

/** The cure that `SettingsReader` gives for a file that everybody may read. */
const readableByAll = ': chmod o= '

function checkOf(name: CheckName, text: string, judge: (message: string, cure: string) => Verdict): Check {
  const { message, cure } = splitCure(text)
  return { name, ...judge(message, cure) }
}

/** The setting that a text is about. */
export function nameIn(text: string): SettingName {
  return text.split(':', 1)[0] as SettingName
}

function verdictWithoutFault(name: (typeof stages)[number], reading: ConfigReading<AgentConfig>): Verdict {
  const config = reading.ok ? reading.config : reading.partial
  if (!config) return unknown(say`not checked, because the settings cannot be read`)
  switch (name) {
    case 'settings':
      return right(say`no error`)
    case 'files':
      return right(say`no other user of this host can read a secret`)
    case 'signing-key': {
      const { kid, fingerprint, privateKey } = config.signingKey ?? {}
      const bits = privateKey?.asymmetricKeyDetails?.modulusLength
      return right(say`RSA, ${bits} bits, kid ${kid}, fingerprint ${fingerprint} (SHA-256 of the public key)`)
    }
    case 'platform-keys': {
      const kids = [...config.platformKeys.keys()]
      return right(kids.length === 0 ? say`none is set, so webhooks cannot be verified` : say`kid ${kids.join(', ')}`)
    }
  }
}
