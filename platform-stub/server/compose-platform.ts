import type { DatabaseSync } from 'node:sqlite'
import { Schedule } from '../clock/schedule.ts'
import type { ControlParts } from '../developer/control/control-parts.ts'
import { FaultsOf } from '../faults/faults.ts'
import type { PartnerFault } from '../faults/partner-fault.ts'
import type { WebhookFault } from '../faults/webhook-fault.ts'
import type { Handler } from '../http/answer.ts'
import { agentNote } from '../marketplace/game-servers/agent-beside.ts'
import { makeDirectory } from '../marketplace/game-servers/directory.ts'
import { loadPlatformKey } from '../marketplace/game-servers/register.ts'
import { Refusal } from '../marketplace/refusal.ts'
import { dueMoves } from '../marketplace/transactions/due.ts'
import { Changes } from '../pages/changes.ts'
import { answerPartner } from '../partner-api/answer.ts'
import { replayForgetting } from '../partner-api/forget-replays.ts'
import { requestJournal } from '../partner-api/request-journal.ts'
import { emptyTables } from '../store/tables.ts'
import { webhookDispatcher } from '../webhooks/dispatcher.ts'
import { oneOffSender } from '../webhooks/one-off.ts'
import { webhookSeal } from '../webhooks/webhook-attempt.ts'
import type { PostWebhook } from '../webhooks/webhook-post.ts'
import { type Addresses, type Ground, openPlatform } from './open-platform.ts'

/** Everything through which a platform touches what is around it. */
export interface Outside extends Ground {
  readonly post: PostWebhook
}

/** A platform that works: everything that the doors reach into. */
export interface ComposedPlatform extends ControlParts {
  readonly database: DatabaseSync
  readonly changes: Changes
  readonly addresses: Addresses
  /** Answers a request to the partner routes. */
  readonly answerPartner: Handler
  /** Ends streams, faults and webhooks, so that no request waits for them. Resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Puts the parts together, on any outside: the server's, or one in the same process. Nothing comes due before `schedule.start`. */
export function composePlatform({ post, ...ground }: Outside): ComposedPlatform {
  const { database, onFatal } = ground
  const opened = openPlatform(ground)
  const { platform, clock, addresses } = opened
  const { tables, log } = platform
  const changes = new Changes(clock)
  const directory = makeDirectory(tables.gameServers.all(), tables.gameServers.allKeys())
  const faults = { partner: new FaultsOf<PartnerFault>(clock), webhook: new FaultsOf<WebhookFault>(clock) }
  // Made while the stub starts to listen: a new key takes longer than everything else.
  const key = loadPlatformKey(platform)
  key.catch(onFatal)
  const platformKey = () => key
  const seal = webhookSeal(platform, platformKey)
  const oneOffs = oneOffSender(platform, seal, post)
  const schedule: Schedule = new Schedule({
    clock,
    moves: dueMoves(platform),
    attempts: webhookDispatcher({ platform, directory, faults, seal, post }, () => schedule.wake()),
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
  const journal = requestJournal(() => changes.note())
  const partnerParts = { platform, directory, faults, onAnswered: journal.add }
  return {
    platform,
    clock,
    database,
    addresses,
    directory,
    faults,
    changes,
    oneOffs,
    post,
    schedule,
    platformKey,
    journal,
    answerPartner: (request) => answerPartner(request, partnerParts),
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
