import { resolve } from 'node:path'
import type { StubClock } from '../../clock/clock.ts'
import { momentMsOf } from '../../clock/iso.ts'
import type { Faults } from '../../faults/faults.ts'
import { setCharacter } from '../../marketplace/characters/accounts.ts'
import { type AgentFiles, agentFiles } from '../../marketplace/game-servers/agent-files.ts'
import type { Directory } from '../../marketplace/game-servers/directory.ts'
import {
  credentialsOf,
  type PreparedRegistration,
  prepareRegistration,
  writeRegistration,
} from '../../marketplace/game-servers/register.ts'
import { adjustStock, registerListing, withdrawListing } from '../../marketplace/listings/listings.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { orThrow, Refusal } from '../../marketplace/refusal.ts'
import { moveTransaction } from '../../marketplace/transactions/apply.ts'
import { makeDueMoves } from '../../marketplace/transactions/due.ts'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import { createTransaction, payTransaction } from '../../marketplace/transactions/purchase.ts'
import type { PlatformKeyRow } from '../../store/platform-row.ts'
import { type PlotPurchase, plotOf, type Scene } from './plot.ts'
import type { Scenario } from './scenario.ts'
import { locationOf, ScenarioError } from './scenario-errors.ts'

/** What a scenario is staged with. */
export interface StageParts {
  readonly platform: Platform
  readonly clock: StubClock
  readonly directory: Directory
  readonly faults: Faults
  readonly platformKey: () => Promise<PlatformKeyRow>
}

/** The phase that a transaction of the scenario must have in the end. */
interface Promised extends Pick<Scene, 'place'> {
  readonly transactionId: number
  readonly phase: PlotPurchase['phase']
}

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
      orThrow(await prepareRegistration({ name, webhookUrl, publicKeyPem: publicKeyPems[at] })),
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
  for (const fault of scenario.faults) faults.partner.queue.add(fault)
  for (const fault of scenario.webhookFaults) faults.webhook.queue.add(fault)
  for (const [at, { server, key }] of registered.entries()) {
    files[at]?.write({ stubUrl, ...credentialsOf(server, key, platformKey) })
  }
}

function play(
  scenario: Scenario,
  registrations: readonly PreparedRegistration[],
  nowMs: number,
  { platform, clock }: StageParts,
) {
  const scenes = plotOf(scenario, platform.settings, nowMs)
  clock.stopAt(scenes[0]?.atMs ?? nowMs)
  const registered = registrations.map((registration) => writeRegistration(platform, registration))
  const promised: Promised[] = []
  for (const scene of scenes) {
    clock.stopAt(scene.atMs)
    makeDueMoves(platform)
    const gameServerId = registered[scene.gameServer]?.server.id ?? 0
    const transactionId = orRefused(scene, () => playScene(platform, gameServerId, scene))
    if (scene.event.kind !== 'purchase' || transactionId === undefined) continue
    promised.push({ place: scene.place, transactionId, phase: scene.event.purchase.phase })
  }
  clock.stopAt(nowMs)
  makeDueMoves(platform)
  const broken = promised.flatMap((promise) => faultOf(platform, promise))
  if (broken.length > 0) throw new ScenarioError(broken)
  platform.tables.platform.setClockOffsetMs(scenario.clock ? clock.offsetMs : 0)
  return registered
}

/** @returns The transaction's id where one was made. */
function playScene(platform: Platform, gameServerId: number, { event }: Scene): number | undefined {
  switch (event.kind) {
    case 'character':
      orThrow(setCharacter(platform, gameServerId, event.characterRef, event.state))
      return undefined
    case 'register': {
      const { observed: _, withdrawn: __, ...registration } = event.listing
      orThrow(registerListing(platform, gameServerId, registration))
      return undefined
    }
    case 'observe':
      orThrow(adjustStock(platform, gameServerId, { itemRef: event.itemRef, observedQuantity: event.quantity }))
      return undefined
    case 'withdraw':
      orThrow(withdrawListing(platform, gameServerId, event))
      return undefined
    case 'purchase':
      return playPurchase(platform, gameServerId, event.purchase)
  }
}

function playPurchase(platform: Platform, gameServerId: number, purchase: PlotPurchase): number {
  const { transactionId } = orThrow(createTransaction(platform, gameServerId, purchase))
  const { transactions } = platform.tables
  for (const trigger of purchase.triggers) {
    const transaction = transactions.byId(transactionId)
    if (!transaction) throw new Error(`transaction ${transactionId} was made and is not there`)
    if (trigger === 'pay') orThrow(payTransaction(platform, transaction))
    else orThrow(moveTransaction(platform, transaction, { trigger, at: platform.clock.nowMs() }))
  }
  return transactionId
}

/** What makes a phase last too short, by the phase that time makes of it. */
const lastingOptions: Readonly<Record<string, string>> = {
  expired: '--payment-expiry',
  completed: '--completion-delay',
}

function faultOf({ tables }: Platform, { place, transactionId, phase }: Promised): string[] {
  const row = tables.transactions.byId(transactionId)
  const reached = row && phaseOfRow(row)
  if (!reached || reached === phase) return []
  const cure = `give a smaller "secondsAgo", or start with a longer ${lastingOptions[reached]}`
  return [`${locationOf([...place, 'phase'])}: would be "${reached}" by now; ${cure}`]
}

function orRefused<Result>({ place }: Scene, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ScenarioError([`${locationOf(place)}: the platform refuses this (${error.code}): ${error.message}`])
  }
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
