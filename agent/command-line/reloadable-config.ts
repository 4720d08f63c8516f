import { type AgentConfig, readAgentConfig, readDaemonAddress } from '../config/config.ts'
import { LiveConfig } from '../config/live-config.ts'
import { sentenceOf } from '../language/problem.ts'
import type { OpenedLog } from '../log/log.ts'
import { readSettings } from './read-config.ts'

/** The configuration of the daemon, which a reload reads again from where it came. */
export function reloadableConfig(
  config: AgentConfig,
  configFile: string | undefined,
  { log, reopen }: OpenedLog,
): LiveConfig {
  const live = new LiveConfig(config, {
    read: () => readSettings(configFile, readAgentConfig),
    readToken() {
      const reading = readSettings(configFile, readDaemonAddress)
      return reading.ok ? reading.config.token : live.current.token
    },
    onReload(reloading) {
      // Before anything is logged, and also for a configuration that is refused: logrotate waits for it.
      reopen()
      if (!reloading.ok) return log.warn({ errors: reloading.errors }, 'reload refused: nothing has changed')
      const { logLevel, signingKey, platformKeys, warnings } = live.current
      log.level = logLevel
      const { kid, fingerprint: keyFingerprint } = signingKey
      log.info({ changed: reloading.changed, kid, keyFingerprint, platformKids: [...platformKeys.keys()] }, 'reloaded')
      for (const warning of warnings) log.warn(sentenceOf(warning))
    },
  })
  return live
}
