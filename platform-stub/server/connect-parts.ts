import { Schedule } from '../clock/schedule.ts'
import type { ControlParts } from '../developer/control/control-parts.ts'
import { FaultsOf } from '../faults/faults.ts'
import type { PartnerFault } from '../faults/partner-fault.ts'
import type { WebhookFault } from '../faults/webhook-fault.ts'
import { agentNote } from '../marketplace/game-servers/agent-beside.ts'
import { makeDirectory } from '../marketplace/game-servers/directory.ts'
import { loadPlatformKey } from '../marketplace/game-servers/register.ts'
import { Refusal } from '../marketplace/refusal.ts'
import { dueMoves } from '../marketplace/transactions/due.ts'
import { Changes } from '../pages/changes.ts'
import { replayForgetting } from '../partner-api/forget-replays.ts'
import { requestJournal } from '../partner-api/request-journal.ts'
import { emptyTables } from '../store/tables.ts'
import { webhookDispatcher } from '../webhooks/dispatcher.ts'
import { oneOffSender } from '../webhooks/one-off.ts'
import { webhookSeal } from '../webhooks/webhook-attempt.ts'
import type { Addresses, OpenedPlatform } from './open-platform.ts'

/** What works on the platform: everything that the doors reach into. */
export interface StubParts extends ControlParts, Pick<OpenedPlatform, 'database'> {
  readonly changes: Changes
  readonly addresses: Addresses
  /** Ends streams, faults and webhooks, so that no request waits for them. Resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Puts the parts together. @param onFatal Called if the platform's key cannot be made. */
export function connectParts(opened: OpenedPlatform, onFatal: (error: Error) => void): StubParts {
  const { platform, clock, database, addresses } = opened
  const { tables, random, log } = platform
  const changes = new Changes(clock)
  const directory = makeDirectory(tables.gameServers.all(), tables.gameServers.allKeys())
  const faults = { partner: new FaultsOf<PartnerFault>(clock), webhook: new FaultsOf<WebhookFault>(clock) }
  // Made while the stub starts to listen: a new key takes longer than everything else.
  const key = loadPlatformKey(platform)
  key.catch(onFatal)
  const platformKey = () => key
  const seal = webhookSeal(random, platformKey)
  const oneOffs = oneOffSender(platform, seal)
  const schedule: Schedule = new Schedule({
    clock,
    moves: dueMoves(platform),
    attempts: webhookDispatcher({ platform, directory, faults, seal }, () => schedule.wake()),
    upkeep: replayForgetting(platform),
    storeOffset: () => {
      const stored = platform.transact(() => tables.platform.setClockOffsetMs(clock.offsetMs))
      return !(stored instanceof Refusal)
    },
    onError: (error) => log.error({ err: error }, 'due work failed'),
  })
  opened.onCommitted((isDue) => {
    changes.lookAgain()
    if (isDue) schedule.wake()
  })
  return {
    platform,
    clock,
    database,
    addresses,
    directory,
    faults,
    changes,
    oneOffs,
    schedule,
    platformKey,
    journal: requestJournal(() => changes.note()),
    agentNote: agentNote(),
    developerUrl: () => addresses.developerUrl,
    partnerUrl: () => addresses.url,
    emptyTables: () => emptyTables(database),
    stop() {
      changes.close()
      oneOffs.end()
      for (const { delays } of Object.values(faults)) delays.end()
      return schedule.stop()
    },
  }
}
