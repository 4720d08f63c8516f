import { type RealTime, StubClock } from '../clock/clock.ts'
import { Schedule } from '../clock/schedule.ts'
import type { ControlParts } from '../developer/control/control-parts.ts'
import { FaultsOf } from '../faults/faults.ts'
import type { PartnerFault } from '../faults/partner-fault.ts'
import type { WebhookFault } from '../faults/webhook-fault.ts'
import { answer, type Handler } from '../http/answer.ts'
import { frameworkHandler } from '../http/framework.ts'
import type { HttpRequest } from '../http/http-request.ts'
import { closeServer, listen, makeServer } from '../http/http-server.ts'
import { isLoopback } from '../http/origin.ts'
import { agentNote } from '../marketplace/game-servers/agent-beside.ts'
import { makeDirectory } from '../marketplace/game-servers/directory.ts'
import { loadPlatformKey } from '../marketplace/game-servers/register.ts'
import type { Platform } from '../marketplace/platform.ts'
import type { Random } from '../marketplace/random.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import type { Settings } from '../marketplace/settings.ts'
import { dueMoves } from '../marketplace/transactions/due.ts'
import { Changes } from '../pages/changes.ts'
import { answerPartner } from '../partner-api/answer.ts'
import { replayForgetting } from '../partner-api/forget-replays.ts'
import { requestJournal } from '../partner-api/request-journal.ts'
import { openDatabase } from '../store/open.ts'
import { emptyTables, prepareTables } from '../store/tables.ts'
import { diskFull, makeTransact } from '../store/transact.ts'
import { webhookDispatcher } from '../webhooks/dispatcher.ts'
import { oneOffSender } from '../webhooks/one-off.ts'
import { webhookSeal } from '../webhooks/webhook-attempt.ts'
import type { Audience } from './app.ts'
import type { Log } from './log.ts'

/** What a stub is started with. */
export interface StubOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The stub's address as players and game servers see it; null where that is the address it listens on. */
  readonly publicUrl: string | null
  /** Where the control routes listen if they have a port of their own; 0 takes a free one, null the port above. */
  readonly developerPort: number | null
  /** Null keeps everything in memory. */
  readonly dataDirectory: string | null
  readonly settings: Settings
  readonly time: RealTime
  readonly random: Random
  /** Makes the log, which says the stub's own time. */
  readonly makeLog: (nowMs: () => number) => Log
  /** Name and version, for `/health`. */
  readonly service: string
  /** Called when the store can no longer be trusted: the process has to end. */
  readonly onFatal: (error: Error) => void
  /** Brings the platform into a state before the first request is answered. What it throws ends the start. */
  readonly prepare?: (parts: ControlParts, stubUrl: string) => Promise<void>
}

/** A stub that listens. */
export interface RunningStub {
  /** Where it listens; without a trailing slash, like the others. */
  readonly url: string
  /** Where players and game servers see it. */
  readonly publicUrl: string
  /** Where control routes and console are. */
  readonly developerUrl: string
  readonly log: Log
  /** Takes nothing new, finishes what is in flight within 10 s, closes the database. */
  close(): Promise<void>
}

/** Whether a request is for the interface's routes, all of which are below `/v1`. */
function isPartnerPath({ path }: HttpRequest): boolean {
  return path === '/v1' || path.startsWith('/v1/')
}

/**
 * Starts the whole platform in this process.
 *
 * @throws {StoreUnusableError} Of `openDatabase`.
 * @throws {ListenError} The address is taken or not this machine's.
 * @throws What `prepare` throws.
 */
export async function startPlatformStub(options: StubOptions): Promise<RunningStub> {
  const { settings, random, time } = options
  const database = openDatabase(options.dataDirectory)
  let isSomethingDue = false
  const tables = prepareTables(database, () => {
    isSomethingDue = true
  })
  let afterCommit: (() => void)[] = []
  const transact = makeTransact(database, {
    onBroken: options.onFatal,
    onCommitted() {
      for (const action of afterCommit) action()
      changes.lookAgain()
      if (!isSomethingDue) return
      isSomethingDue = false
      schedule.wake()
    },
  })
  const clock = new StubClock(time, tables.platform.clockOffsetMs())
  const changes = new Changes(clock)
  const log = options.makeLog(() => clock.nowMs())
  let url = ''
  let publicUrl = options.publicUrl ?? ''
  let developerUrl = ''
  const platform: Platform = {
    tables,
    clock,
    random,
    settings,
    log,
    transact(work) {
      afterCommit = []
      const result = transact(work)
      if (result !== diskFull) return result
      log.error('disk full')
      return refuse('STORE_FULL')
    },
    afterCommit(action) {
      afterCommit.push(action)
    },
    publicUrl: () => publicUrl,
  }
  const directory = makeDirectory(tables.gameServers.all(), tables.gameServers.allKeys())
  const journal = requestJournal(() => changes.note())
  const faults = { partner: new FaultsOf<PartnerFault>(clock), webhook: new FaultsOf<WebhookFault>(clock) }
  // Made while the stub starts to listen: a new key takes longer than everything else.
  const key = loadPlatformKey(platform)
  key.catch(options.onFatal)
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

  const control: ControlParts = {
    platform,
    directory,
    journal,
    agentNote: agentNote(),
    faults,
    clock,
    schedule,
    oneOffs,
    platformKey,
    developerUrl: () => developerUrl,
    partnerUrl: () => url,
    emptyTables: () => emptyTables(database),
  }
  const pagesFor = (audience: Audience): Handler =>
    frameworkHandler(async () => {
      const { makeApp } = await import('./app.ts')
      return makeApp({ ...control, changes, database }, audience, options.service)
    })
  const partnerParts = { platform, directory, faults, onAnswered: journal.add }
  // Headers cannot tell a proxy that adds none. What may be reached through one is on a listener without the rest.
  const isShared = options.publicUrl !== null || !isLoopback(options.host)
  const pages = pagesFor(isShared ? 'public' : 'both')
  const everything: Handler = (request) =>
    isPartnerPath(request) ? answerPartner(request, partnerParts) : pages(request)
  const prepared = Promise.withResolvers<void>()
  const serverOf = (handler: Handler) =>
    makeServer(
      answer(async (request) => {
        await prepared.promise
        return handler(request)
      }, platform),
      clock,
    )
  const server = serverOf(everything)
  const developerServer = isShared ? serverOf(pagesFor('developer')) : undefined
  const servers = developerServer ? [server, developerServer] : [server]
  try {
    url = await listen(server, { host: options.host, port: options.port, option: '--port' })
    publicUrl ||= url
    developerUrl = url
    if (developerServer) {
      const isOneAbove = options.port > 0 && options.port < 65_535
      const port = options.developerPort ?? (isOneAbove ? options.port + 1 : 0)
      developerUrl = await listen(developerServer, { host: '127.0.0.1', port, option: '--developer-port' })
    }
    await options.prepare?.(control, publicUrl)
  } catch (error) {
    for (const each of servers) {
      each.close()
      each.closeAllConnections()
    }
    await key
    database.close()
    throw error
  }
  prepared.resolve()
  schedule.start()
  return {
    url,
    publicUrl,
    developerUrl,
    log,
    async close() {
      changes.close()
      oneOffs.end()
      for (const { delays } of Object.values(faults)) delays.end()
      await Promise.all([...servers.map((each) => closeServer(each, clock)), schedule.stop()])
      await key
      database.close()
    },
  }
}
