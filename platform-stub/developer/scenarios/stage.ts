import { resolve } from 'node:path'
import { momentMsOf } from '../../clock/iso.ts'
import {
  credentialsOf,
  type PreparedRegistration,
  prepareRegistration,
  writeRegistration,
} from '../../marketplace/game-servers/register.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { orThrow, Refusal } from '../../marketplace/refusal.ts'
import { makeDueMoves } from '../../marketplace/transactions/due.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import { type AgentFiles, agentFiles } from '../agent-files.ts'
import type { ControlParts } from '../control/control-parts.ts'
import type { Scenario } from './scenario.ts'
import { locationOf, ScenarioError } from './scenario-errors.ts'
import { type Step, timelineOf } from './timeline.ts'

type StageParts = Pick<ControlParts, 'platform' | 'clock' | 'directory' | 'faults' | 'platformKey'>

/**
 * Brings an empty platform into the described state by its own moves, each at its own moment, in one database
 * transaction. Nothing is sent: webhooks are queued, and go out when the stub runs.
 *
 * The files of the game servers' agents are written last, into folders that were tried before.
 *
 * @throws {ScenarioError} The platform is not empty, or would refuse what is described; nothing has happened.
 * @throws {AgentFilesError} A folder of an agent cannot be used; nothing has happened.
 */
export async function stageScenario(scenario: Scenario, parts: StageParts, stubUrl: string): Promise<void> {
  const { platform, clock, directory, faults } = parts
  if (directory.all().length > 0) {
    throw new ScenarioError(['wants an empty platform; choose another --data-dir, or --memory'])
  }
  const files = scenario.gameServers.map(({ out }) => (out === undefined ? null : agentFiles(resolve(out))))
  refuseSharedFolders(files)
  const publicKeyPems = files.map((file) => file?.prepare())
  const registrations = await Promise.all(
    scenario.gameServers.map(async ({ name, webhookUrl }, at) =>
      orThrow(await prepareRegistration(platform, { name, webhookUrl, publicKeyPem: publicKeyPems[at] })),
    ),
  )
  const platformKey = await parts.platformKey()
  const describedMs = scenario.clock && momentMsOf(scenario.clock.now)
  const nowMs = describedMs ?? clock.nowMs()
  const registered = orThrow(platform.transact(() => play(scenario, registrations, nowMs, parts)))
  if (describedMs === undefined) clock.runWithOffset(0)
  else clock.runFrom(describedMs)
  for (const { server, key } of registered) {
    directory.put(server)
    directory.putKey(key)
  }
  for (const fault of scenario.faults) faults.partner.add(fault)
  for (const fault of scenario.webhookFaults) faults.webhook.add(fault)
  for (const [at, { server, key }] of registered.entries()) {
    files[at]?.write({ stubUrl, ...credentialsOf(server, key, platformKey) })
  }
}

/** Makes the steps of a scenario one after another, each at its own moment, and what time does in between. */
function play(
  scenario: Scenario,
  registrations: readonly PreparedRegistration[],
  nowMs: number,
  { platform, clock }: StageParts,
) {
  const goTo = (atMs: number): void => {
    clock.stopAt(atMs)
    makeDueMoves(platform)
  }
  const steps = timelineOf(scenario, platform.settings, nowMs)
  clock.stopAt(steps[0]?.atMs ?? nowMs)
  const registered = registrations.map((registration) => writeRegistration(platform, registration))
  const played = steps.map((step) => {
    goTo(step.atMs)
    return { step, result: playStep(platform, registered[step.gameServer]?.server.id ?? 0, step) }
  })
  goTo(nowMs)
  const errors = played.flatMap(({ step, result }) => (step.phase ? phaseErrors(platform, step, Number(result)) : []))
  if (errors.length > 0) throw new ScenarioError(errors)
  platform.tables.platform.setClockOffsetMs(scenario.clock ? clock.offsetMs : 0)
  return registered
}

function playStep(platform: Platform, gameServerId: number, { act, path }: Step): unknown {
  try {
    return orThrow(act(platform, gameServerId))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ScenarioError([`${locationOf(path)}: the platform refuses this (${error.code}): ${error.message}`])
  }
}

/** The options that make a phase last longer, by the phase that follows it. */
const lastingOptions: Readonly<Record<string, string>> = {
  expired: '--payment-expiry',
  completed: '--completion-delay',
}

/** Why a purchase is not in its phase. */
function phaseErrors({ tables }: Platform, { path, phase }: Step, transactionId: number): string[] {
  const row = tables.transactions.byId(transactionId)
  const reached = row && phaseOfRow(row)
  if (!reached || reached === phase) return []
  const cure = `give a smaller "secondsAgo", or start with a longer ${lastingOptions[reached]}`
  return [`${locationOf([...path, 'phase'])}: would be "${reached}" by now; ${cure}`]
}

function refuseSharedFolders(files: readonly (AgentFiles | null)[]): void {
  const seen = new Set<string>()
  for (const [at, file] of files.entries()) {
    if (!file) continue
    if (seen.has(file.folder)) {
      throw new ScenarioError([
        `${locationOf(['gameServers', at, 'out'])}: is another game server's too; give each its own`,
      ])
    }
    seen.add(file.folder)
  }
}
