import type { AgentConfig } from '../config/config.ts'
import type { Log } from './log.ts'

/** The first line of a start: what an operator needs to know, and no secret. */
export function logStart(config: AgentConfig, version: string, log: Log): void {
  const { kid, fingerprint } = config.signingKey
  log.info(
    {
      version,
      platform: new URL(config.baseUrl).host,
      kid,
      keyFingerprint: fingerprint,
      spool: config.spoolDir ?? null,
      stateDir: config.stateDir,
      tokenConfigured: config.token !== undefined,
      clockOffsetMs: null,
    },
    'starting',
  )
}
