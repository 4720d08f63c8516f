import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentConfig, ConfigReading, PartialConfig, WebhookSettings } from '../config/config.ts'
import type { SettingName } from '../config/settings.ts'
import { storeUrlOf } from '../config/store-url.ts'
import { journalDatabase } from '../journal/schema.ts'
import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'
import { ledgerDatabase } from '../orders/sqlite-order-ledger.ts'
import { trustedCas } from '../platform/trusted-cas.ts'
import { spoolDirs } from '../spool/spool-dirs.ts'
import { type Check, type CheckName, right, unknown, type Verdict } from './check.ts'
import { type DirFacts, probeDir } from './dir-facts.ts'
import { judgeEventDirs, judgeForwardUrl, probeEventDirs, probeForwardUrl } from './game-server-stages.ts'
import { judgeLog, probeLog } from './log-stage.ts'
import { agentAt, judgePort, probePort } from './port-stages.ts'
import { settingsChecks } from './settings-stages.ts'
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

/** Stages that need the same settings. */
interface StageGroup {
  readonly names: readonly CheckName[]
  readonly needs: readonly SettingName[]
  readonly run: () => Check[] | Promise<Check[]>
}

/**
 * Runs the stages one by one. It takes no lock and no port and sends nothing that changes anything: one question
 * without a signature, and one signed `market.eligibility`.
 */
export async function* runChecks({ reading, offline, userAgent }: CheckOptions): AsyncGenerator<Check> {
  yield* settingsChecks(reading)
  const config = reading.ok ? reading.config : reading.partial
  if (!config) return
  const wrongSettings = new Set<string>(reading.ok ? [] : reading.errors.map(({ name }) => name))
  for (const { names, needs, run } of await hostStages(config, offline)) {
    const missing = needs.find((name) => wrongSettings.has(name))
    if (missing === undefined) yield* await run()
    else yield* names.map((name) => ({ name, ...unknown(say`not checked, because ${missing} is wrong`) }))
  }
  if (offline)
    return yield {
      name: 'platform',
      ...unknown(say`left out by --offline: name, TCP, proxy, TLS, address, clock and credentials`),
    }
  if (!reading.ok) return yield { name: 'platform', ...unknown(say`not checked, because settings are wrong`) }
  // The library for HTTP is loaded here, because --offline needs none.
  const { platformChecks, probePlatform } = await import('./platform-stages.ts')
  yield* platformChecks(reading.config, await probePlatform(reading.config, userAgent))
}

/** The stages that look at this host, and at the game server. */
async function hostStages(config: PartialConfig, offline: boolean): Promise<StageGroup[]> {
  const { stateDir, spoolDir, storeUrl, logFile, host, port, webhook } = config
  const ownPort = await probePort(host, port, '/health')
  const agent = agentAt(ownPort)
  const portMin = lowestPort()
  const state: StageGroup = {
    names: ['state-dir', ...(storeUrl === undefined ? databases.map(({ name }) => name) : []), 'state-owner'],
    needs: ['SERVICE_STATE_DIR'],
    run: () => stateChecks(stateDir, storeUrl === undefined ? databases : [], agent),
  }
  const store = (urlText: string): StageGroup => ({
    names: ['store'],
    needs: ['SERVICE_STORE_URL', 'SERVICE_STORE_URL_FILE', 'SERVICE_AGENT_NAME', 'SERVICE_WORLD', 'SERVICE_CA_FILE'],
    async run() {
      if (offline) return [{ name: 'store', ...unknown(say`left out by --offline`) }]
      const { probeStore, storeChecks } = await import('./store-stages.ts')
      const url = storeUrlOf(urlText)
      const self = { name: config.agentName, world: config.world }
      return storeChecks(await probeStore(url, trustedCas(config.extraCa)), url, self)
    },
  })
  const spool = (root: string): StageGroup => ({
    names: ['spool-dirs', 'spool-group', 'spool-links', 'spool-disk'],
    needs: ['SERVICE_SPOOL_DIR'],
    run: () => spoolChecks(spoolDirs(root), probeSpoolDirs(spoolDirs(root))),
  })
  const log: StageGroup = {
    names: ['log'],
    needs: ['SERVICE_LOG_FILE'],
    run: () => [{ name: 'log', ...judgeLog(logFile, logFile === undefined ? undefined : probeLog(logFile)) }],
  }
  const loopback: StageGroup = {
    names: ['port'],
    needs: ['SERVICE_AGENT_PORT', 'SERVICE_AGENT_HOST'],
    run() {
      const plan = { setting: 'SERVICE_AGENT_PORT', host, port, portMin } as const
      return [{ name: 'port', ...judgePort(plan, ownPort, agent !== undefined) }]
    },
  }
  const bridge = (settings: WebhookSettings): StageGroup => ({
    names: ['webhook-port'],
    needs: ['SERVICE_WEBHOOK_PORT', 'SERVICE_WEBHOOK_HOST'],
    async run() {
      const facts = await probePort(settings.host, settings.port, settings.path)
      // The bridge accepts only POST.
      const isOurs = agent !== undefined && facts.at === 'taken' && facts.answer?.status === 405
      const plan = { setting: 'SERVICE_WEBHOOK_PORT', ...settings, portMin } as const
      return [{ name: 'webhook-port', ...judgePort(plan, facts, isOurs) }]
    },
  })
  const events = (root: string): StageGroup => ({
    names: ['spool-events'],
    needs: ['SERVICE_SPOOL_DIR'],
    run: () => [{ name: 'spool-events', ...judgeEventDirs(probeEventDirs(root)) }],
  })
  const forward = (url: string): StageGroup => ({
    names: ['forward-url'],
    needs: ['SERVICE_WEBHOOK_FORWARD_URL', 'SERVICE_CA_FILE'],
    async run() {
      if (offline) return [{ name: 'forward-url', ...unknown(say`left out by --offline`) }]
      return [{ name: 'forward-url', ...judgeForwardUrl(url, await probeForwardUrl(url, config.extraCa)) }]
    },
  })
  const { ordersBy, forwardUrl } = webhook ?? {}
  return [
    state,
    ...(storeUrl === undefined ? [] : [store(storeUrl)]),
    ...(spoolDir === undefined ? [] : [spool(spoolDir)]),
    ...(spoolDir !== undefined && ordersBy === 'files' ? [events(spoolDir)] : []),
    log,
    loopback,
    ...(webhook ? [bridge(webhook)] : []),
    ...(forwardUrl !== undefined && ordersBy === 'url' ? [forward(forwardUrl)] : []),
  ]
}

const databases = [
  { name: 'journal', kind: journalDatabase },
  { name: 'orders-ledger', kind: ledgerDatabase },
] as const

function stateChecks(
  stateDir: string,
  used: readonly (typeof databases)[number][],
  agent: string | undefined,
): Check[] {
  const facts = probeDir(stateDir)
  const checks: Check[] = [...userChecks(stateDir, facts)]
  checks.push({ name: 'state-dir', ...judgeStateDir(stateDir, facts, tryStateDir(stateDir, facts)) })
  for (const { name, kind } of used) {
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
  if (uid === ownerUid) return right(say`the same as the owner of the state directory`)
  return unknown(
    say`${stateDir} belongs to another user (uid ${ownerUid}), so what is said here about rights is not true for the agent`,
    cures.runAs(ownerUid),
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
