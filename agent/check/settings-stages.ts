import type { AgentConfig, ConfigReading } from '../config/config.ts'
import type { Problem } from '../language/problem.ts'
import { say } from '../language/say.ts'
import { type Check, type CheckName, right, unknown, type Verdict, warning, wrong } from './check.ts'

/** Settings whose errors belong to a stage of their own. */
const stageOfSetting: ReadonlyMap<string, CheckName> = new Map([
  ['SERVICE_SIGNING_KEY_FILE', 'signing-key'],
  ['SERVICE_SIGNING_KID', 'signing-key'],
  ['SERVICE_PLATFORM_KID', 'platform-keys'],
  ['SERVICE_PLATFORM_PUBLIC_KEY_FILE', 'platform-keys'],
])

const stages = ['settings', 'files', 'signing-key', 'platform-keys'] as const

/** Settings, the files that they name, and the keys. Each error is a check of its own. */
export function settingsChecks(reading: ConfigReading<AgentConfig>): Check[] {
  const { errors, warnings } = reading.ok
    ? { errors: [], warnings: reading.config.warnings }
    : { errors: reading.errors, warnings: reading.partial?.warnings ?? [] }
  const found: Check[] = [
    ...errors.map((error) => checkOf(stageOfSetting.get(error.name) ?? 'settings', error, wrong)),
    ...warnings.map((found) =>
      found.isExposed ? checkOf('files', found, wrong) : checkOf('settings', found, warning),
    ),
  ]
  return stages.flatMap((name) => {
    const faults = found.filter((check) => check.name === name)
    return faults.length > 0 ? faults : [{ name, ...verdictWithoutFault(name, reading) }]
  })
}

function checkOf(name: CheckName, found: Problem, judge: typeof wrong): Check {
  return { name, ...judge(`${found.name}: ${found.problem}`, found.cure) }
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
