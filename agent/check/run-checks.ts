import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentConfig, ConfigReading } from '../config/config.ts'
import type { SettingName } from '../config/settings.ts'
import { journalDatabase } from '../journal/schema.ts'
import { ledgerDatabase } from '../orders/sqlite-order-ledger.ts'
import { spoolDirs } from '../spool/spool-dirs.ts'
import { type Check, type CheckName, right, unknown, type Verdict } from './check.ts'
import { type DirFacts, probeDir } from './dir-facts.ts'
import { judgeLog, probeLog } from './log-stage.ts'
import { agentAt, judgePort, type PortFacts, probePort } from './port-stages.ts'
import { nameIn, settingsChecks } from './settings-stages.ts'
import { probeSpoolDirs, spoolChecks } from './spool-stages.ts'
import { judgeDatabase, judgeOwner, judgeStateDir, probeDatabase, probeOwner, tryStateDir } from './state-stages.ts'

/** What is checked. */
export interface CheckOptions {
  readonly reading: ConfigReading<AgentConfig>
  /** Leaves out everything that needs the network. */
  readonly offline: boolean
  /** Name and version of this program, for the platform. */
  readonly userAgent: string
}

/**
 * Runs the stages one by one. It takes no lock and no port, and sends nothing that changes anything: one question without
 * a signature, and one signed `market.eligibility`.
 */
export async function* runChecks({ reading, offline, userAgent }: CheckOptions): AsyncGenerator<Check> {
  yield* settingsChecks(reading)
  const config: Partial<AgentConfig> = reading.ok ? reading.config : (reading.partial ?? {})
  const wrongSettings = new Set(reading.ok ? [] : reading.errors.map(nameIn))
  const { stateDir, spoolDir, host, port, webhook } = config

  /** Checks that need settings; without them they say so. */
  const needing = (settings: readonly SettingName[], names: readonly CheckName[], run: () => Check[]): Check[] => {
    const missing = settings.find((name) => wrongSettings.has(name))
    return missing === undefined
      ? run()
      : names.map((name) => ({ name, ...unknown(`not checked, because ${missing} is wrong`) }))
  }

  const ownPort: PortFacts =
    host === undefined || port === undefined ? { at: 'free' } : await probePort(host, port, '/health')
  const agent = agentAt(ownPort)

  if (stateDir !== undefined)
    yield* needing(['SERVICE_STATE_DIR'], ['state-dir', 'journal', 'orders-ledger', 'state-owner'], () =>
      stateChecks(stateDir, agent),
    )
  if (spoolDir !== undefined)
    yield* needing(['SERVICE_SPOOL_DIR'], ['spool-dirs'], () => {
      const dirs = spoolDirs(spoolDir)
      return spoolChecks(dirs, probeSpoolDirs(dirs))
    })
  yield {
    name: 'log',
    ...judgeLog(config.logFile, config.logFile === undefined ? undefined : probeLog(config.logFile)),
  }

  const portMin = lowestPort()
  if (host !== undefined && port !== undefined)
    yield* needing(['SERVICE_AGENT_PORT', 'SERVICE_AGENT_HOST'], ['port'], () => {
      const plan = { setting: 'SERVICE_AGENT_PORT', host, port, portMin } as const
      return [{ name: 'port', ...judgePort(plan, ownPort, agent !== undefined) }]
    })
  if (webhook) {
    const facts = await probePort(webhook.host, webhook.port, webhook.path)
    const isOurs = agent !== undefined && facts.at === 'taken' && facts.answer?.status === 405
    yield* needing(['SERVICE_WEBHOOK_PORT', 'SERVICE_WEBHOOK_HOST'], ['webhook-port'], () => {
      const plan = { setting: 'SERVICE_WEBHOOK_PORT', ...webhook, portMin } as const
      return [{ name: 'webhook-port', ...judgePort(plan, facts, isOurs) }]
    })
  }
  if (offline) return yield { name: 'platform', ...unknown(leftOut) }
  if (!reading.ok) return yield { name: 'platform', ...unknown('not checked, because settings are wrong') }
  // The library for HTTP is loaded here, because --offline needs none.
  const { platformChecks, probePlatform } = await import('./platform-stages.ts')
  yield* platformChecks(reading.config, await probePlatform(reading.config, userAgent))
}

const leftOut = 'left out by --offline: name, TCP, proxy, TLS, address, clock and credentials'

function stateChecks(stateDir: string, agent: string | undefined): Check[] {
  const facts = probeDir(stateDir)
  const checks: Check[] = [...userChecks(stateDir, facts)]
  checks.push({ name: 'state-dir', ...judgeStateDir(stateDir, facts, tryStateDir(stateDir, facts)) })
  for (const [name, kind] of [
    ['journal', journalDatabase],
    ['orders-ledger', ledgerDatabase],
  ] as const) {
    const path = join(stateDir, kind.fileName)
    checks.push({ name, ...judgeDatabase(path, kind, probeDatabase(path)) })
  }
  return [...checks, { name: 'state-owner', ...judgeOwner(stateDir, probeOwner(stateDir), agent) }]
}

/** Root may do everything, so its checks of rights say nothing about the agent's user. */
function userChecks(stateDir: string, facts: DirFacts): Check[] {
  const uid = process.getuid?.()
  if (facts.at !== 'there' || uid === undefined) return []
  return [{ name: 'user', ...judgeUser(uid, facts.stat.uid, stateDir) }]
}

export function judgeUser(uid: number, ownerUid: number, stateDir: string): Verdict {
  if (uid === ownerUid) return right('the same as the owner of the state directory')
  return unknown(
    `${stateDir} belongs to another user (uid ${ownerUid}), so what is said here about rights is not true for the agent`,
    `run it as that user: runuser -u "$(id -nu ${ownerUid})" -- market-agent check`,
  )
}

/** The lowest port that a user without privileges may open. */
function lowestPort(): number {
  if (process.platform === 'win32' || process.getuid?.() === 0) return 0
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  } catch {
    return 1_024
  }
}
