import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Chance } from './chance.ts'
import { checkoutRoutes } from './checkout/page.ts'
import { StubClock } from './clock/clock.ts'
import { DueWork } from './clock/due-work.ts'
import { httpDate } from './clock/iso.ts'
import type { RealTime } from './clock/real-time.ts'
import type { ControlParts } from './control/parts.ts'
import type { StubEnv } from './control/request.ts'
import { controlRoutes } from './control/routes.ts'
import { Directory } from './game-servers/directory.ts'
import { loadPlatformKey } from './game-servers/register.ts'
import { closeServer, listen, makeServer, urlOf } from './http-server.ts'
import type { Log } from './log.ts'
import { forgetExpiredReplays } from './partner-api/forget-replays.ts'
import { Journal } from './partner-api/journal.ts'
import { partnerListener } from './partner-api/listener.ts'
import type { Platform } from './platform.ts'
import { portalRoutes } from './portal/page.ts'
import { Refusal, refuse } from './refusal.ts'
import type { Settings } from './settings.ts'
import { GroupCommit } from './store/group-commit.ts'
import { openDatabase } from './store/open.ts'
import { emptyTables, prepareTables } from './store/tables.ts'
import { WebhookDispatcher } from './webhooks/dispatcher.ts'

export interface StubOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The stub's address as players and game servers see it; null where that is the address it listens on. */
  readonly publicUrl: string | null
  /** Null keeps everything in memory. */
  readonly dataDirectory: string | null
  readonly settings: Settings
  readonly time: RealTime
  readonly chance: Chance
  /** Makes the log, which says the stub's own time. */
  readonly makeLog: (nowMs: () => number) => Log
  /** Name and version, for `/health`. */
  readonly service: string
  /** The store can no longer be trusted: whoever runs the stub ends it. */
  readonly failed: (error: Error) => void
}

export interface RunningStub {
  /** Where it listens, as its users see it; without a trailing slash. */
  readonly url: string
  readonly log: Log
  /** Takes nothing new, finishes what is in flight within 10 s, closes the database. */
  close(): Promise<void>
}

/**
 * Starts the whole platform in this process.
 *
 * @throws {StoreUnusableError} Of `openDatabase`.
 * @throws {ListenError} The address is taken or not this machine's.
 */
export async function startPlatformStub(options: StubOptions): Promise<RunningStub> {
  const { settings, chance, time } = options
  const database = openDatabase(options.dataDirectory)
  let isSomethingDue = false
  const tables = prepareTables(database, () => {
    isSomethingDue = true
  })
  const store = new GroupCommit(database, {
    committed() {
      tables.replays.committed()
      if (!isSomethingDue) return
      isSomethingDue = false
      dueWork.wake()
    },
    failed(error) {
      tables.replays.undone()
      if (error.isDiskFull) log.error({ err: error }, 'disk full')
      else options.failed(error)
    },
  })
  const clock = new StubClock(time, tables.platform.clockOffsetMs())
  const log = options.makeLog(() => clock.nowMs())
  let publicUrl = options.publicUrl ?? ''
  const platform: Platform = {
    tables,
    clock,
    chance,
    settings,
    log,
    transact: (work) => store.transact(work),
    undoable: (work) => store.undoable(work),
    publicUrl: () => publicUrl,
  }
  const directory = new Directory(tables.gameServers.all(), tables.gameServers.allKeys())
  const journal = new Journal()
  // Made while the stub starts to listen: a new key takes longer than everything else.
  const key = loadPlatformKey(platform)
  key.catch(options.failed)
  const platformKey = () => key
  const dispatcher = new WebhookDispatcher({ platform, directory, platformKey })
  const dueWork = new DueWork(platform, clock, dispatcher)

  const control: ControlParts = {
    platform,
    directory,
    journal,
    clock,
    dueWork,
    platformKey,
    emptyTables: () => emptyTables(database, tables),
  }
  const framework = getRequestListener(makeApp(control, options.service).fetch, { overrideGlobalObjects: false })
  const partner = partnerListener({ platform, directory, journal })
  const server = makeServer(
    (incoming, response) =>
      /^\/v1(\/|$|\?)/.test(incoming.url ?? '') ? partner(incoming, response) : framework(incoming, response),
    clock,
  )
  try {
    await listen(server, options)
  } catch (error) {
    await key
    store.close()
    database.close()
    throw error
  }
  publicUrl ||= urlOf(server, options.host)
  dueWork.run()
  const stopForgetting = forgetExpiredReplays(platform, clock)
  return {
    url: publicUrl,
    log,
    async close() {
      stopForgetting()
      await Promise.all([closeServer(server, clock), dueWork.stop()])
      await key
      store.close()
      database.close()
    },
  }
}

/** Everything that is not a partner route: control, checkout and portal. */
function makeApp(control: ControlParts, service: string): Hono<StubEnv> {
  const { platform, directory } = control
  const app = new Hono<StubEnv>()
  app.use('*', async (context, next) => {
    await next()
    context.header('Date', httpDate(platform.clock.nowMs()))
  })
  app.notFound((context) => context.json({ message: refuse('ROUTE_UNKNOWN').message }, 404))
  app.onError((error, context) => {
    if (!(error instanceof Refusal)) platform.log.error({ err: error }, 'request failed')
    const { message, status } = error instanceof Refusal ? error : refuse('INTERNAL')
    return context.json({ message }, status as 400)
  })
  app.route('/checkout', checkoutRoutes(platform))
  app.route('/portal', portalRoutes(platform, directory))
  app.route('/', controlRoutes(control, service))
  return app
}
