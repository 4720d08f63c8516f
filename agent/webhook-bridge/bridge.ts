import { join } from 'node:path'
import type { OpenWebhook } from '../call/open-webhook.ts'
import type { WebhookSettings } from '../config/config.ts'
import type { Files } from '../durable-files/files.ts'
import { sentenceOf } from '../language/problem.ts'
import { LimitedLog } from '../log/limited-log.ts'
import { StateLog } from '../log/state-log.ts'
import type { LedgerOptions, OpenLedger } from '../orders/order-ledger.ts'
import { Orders, type OrdersOptions } from '../orders/orders.ts'
import { spoolReasons } from '../spool/spool-dirs.ts'
import { type BridgeServer, type BridgeServerOptions, startBridgeServer } from './bridge-server.ts'
import { eventFiles } from './event-files.ts'
import { type PushOptions, pushToUrl } from './push-to-url.ts'

export interface BridgeOptions
  extends Pick<OrdersOptions, 'platform' | 'clock' | 'log' | 'observations' | 'mayBegin'>,
    Pick<LedgerOptions, 'stateDir' | 'onFatal'>,
    Pick<BridgeServerOptions, 'onWebhook' | 'listen'>,
    Pick<PushOptions, 'extraCa' | 'connect'> {
  readonly openLedger: OpenLedger
  /** The file system of the spool. */
  readonly files: Files
  readonly settings: WebhookSettings
  readonly spoolDir: string | undefined
  /** The token for the forward URL in use. */
  readonly forwardToken: () => string | undefined
}

/** The webhook bridge: the ledger of orders, the port that fills it, and the channels to the game server. */
export interface Bridge {
  readonly orders: Orders
  /**
   * Takes the port. Webhooks wait until the bridge is started.
   *
   * @returns Where the platform's webhooks go.
   * @throws {NodeJS.ErrnoException} The port cannot be taken.
   */
  listen(openWebhook: OpenWebhook): Promise<string>
  /** Hands over and reports what is open, and asks the platform about it, at once and every few minutes. */
  start(): Promise<void>
  /** In words, how the game server gets its orders. */
  readonly handover: string
  /** Why orders are not recorded or handed over, each with its cure. Empty when they are. */
  reasons(): readonly string[]
  /** As `OrderFiles.listEvents`. */
  listEvents(): readonly string[]
  /** Accepts no new webhooks. Resolves when each one under way is answered, and replies under way are durable. */
  stop(): Promise<void>
  /** Closes the port, the connections to the game server, and the ledger. */
  close(): Promise<void>
}

/** @throws As `OpenLedger`. */
export async function openBridge(options: BridgeOptions): Promise<Bridge> {
  const { settings, stateDir, spoolDir, forwardToken: token, clock, log } = options
  const { forwardUrl: url, ordersBy: channel } = settings
  const stateLog = new StateLog('orders', stateDir, log)
  const ledger = await options.openLedger({ ...options, onFull: (cause) => stateLog.onFull(cause) })
  const pushing = url !== undefined && channel === 'url' ? pushToUrl({ ...options, url, token }) : undefined
  const files = spoolDir === undefined ? undefined : eventFiles(options.files, spoolDir, clock, log)
  const orders = new Orders({ ...options, ledger, channel, files, push: pushing?.push ?? (async () => 'unanswered') })
  const { promise: workStarted, resolve: startWork } = Promise.withResolvers<void>()
  const stopping = new AbortController()
  let server: BridgeServer | undefined

  const reasonsOfFiles = () => {
    if (spoolDir === undefined || channel !== 'files') return []
    // Replies arrive as requests do, and events leave as answers do.
    const dirs = { root: spoolDir, outbox: join(spoolDir, 'replies'), inbox: join(spoolDir, 'events') }
    return spoolReasons(options.files, dirs, orders.files.hasProblem).map(sentenceOf)
  }

  return {
    orders,
    handover:
      channel === 'url'
        ? `posted to ${new URL(url ?? '').origin}`
        : channel === 'asking'
          ? 'the game server asks with orders.open'
          : `files in ${join(spoolDir ?? '', 'events')}`,
    reasons: () => [...stateLog.reasons, ...reasonsOfFiles()],
    listEvents: () => orders.files.listEvents(),

    async listen(openWebhook) {
      const refusalLog = new LimitedLog(log, clock)
      const { signal } = stopping
      server = await startBridgeServer({ ...options, orders, openWebhook, workStarted, stopping: signal, refusalLog })
      return server.url
    },

    async start() {
      await orders.start()
      for (const reason of reasonsOfFiles()) log.warn(reason)
      startWork()
    },

    async stop() {
      stopping.abort()
      startWork()
      await Promise.all([orders.stop(), server?.close()])
    },

    async close() {
      server?.destroy()
      orders.book.close()
      await pushing?.close()
      await ledger.close()
    },
  }
}
