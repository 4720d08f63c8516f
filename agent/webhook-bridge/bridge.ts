import { join } from 'node:path'
import type { OpenWebhook } from '../call/open-webhook.ts'
import type { Clock } from '../clock/clock.ts'
import type { WebhookSettings } from '../config/config.ts'
import { sentenceOf } from '../language/problem.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import type { Order } from '../orders/order.ts'
import { Orders, type OrdersOptions } from '../orders/orders.ts'
import type { OrdersPlatform } from '../orders/platform-port.ts'
import { openSqliteOrderLedger } from '../orders/sqlite-order-ledger.ts'
import { spoolReasons } from '../spool/spool-dirs.ts'
import { type BridgeServer, type BridgeServerOptions, startBridgeServer } from './bridge-server.ts'
import { eventFiles } from './event-files.ts'
import { pushToUrl } from './push-to-url.ts'

export interface BridgeOptions {
  readonly settings: WebhookSettings
  readonly stateDir: string
  readonly spoolDir: string | undefined
  /** PEM certificates trusted beside the system's store. */
  readonly extraCa: string | undefined
  /** The token for the forward URL in use. */
  readonly forwardToken: () => string | undefined
  readonly clock: Clock
  readonly log: Log
  readonly onWebhook: BridgeServerOptions['onWebhook']
  readonly onObserved: OrdersOptions['onObserved']
  /** Called when the ledger fails for another reason than a full disk. */
  readonly onFatal: (error: Error) => void
}

/** The webhook bridge: the ledger of orders, the port that fills it, and the ways to the game server. */
export interface Bridge extends Pick<Orders, 'reports' | 'answer' | 'listAll' | 'check'> {
  /**
   * Takes the port. Webhooks wait until the bridge is started.
   *
   * @returns Where the platform's webhooks go.
   * @throws {NodeJS.ErrnoException} The port cannot be taken.
   */
  listen(openWebhook: OpenWebhook): Promise<string>
  /** Hands over and reports what is open, and asks the platform about it, at once and every few minutes. */
  start(platform: OrdersPlatform): Promise<void>
  /** In words, how the game server gets its orders. */
  readonly handover: string
  /** Why orders are not recorded or handed over, each with its cure. Empty when they are. */
  reasons(): readonly string[]
  /** Orders that are not closed, oldest first. */
  findOpenOrders(): Promise<readonly Order[]>
  /** Takes no new webhooks. Resolves when each one under way is answered, and replies under way are durable. */
  stop(): Promise<void>
  /** Closes the port, the connections to the game server, and the ledger. */
  close(): Promise<void>
}

/** @throws As `openSqliteOrderLedger`. */
export function openBridge(options: BridgeOptions): Bridge {
  const { settings, stateDir, spoolDir, extraCa, forwardToken, clock, log, onObserved, onFatal } = options
  const { forwardUrl, ordersBy } = settings
  const ledger = openSqliteOrderLedger({ stateDir, onFatal })
  const url = forwardUrl !== undefined && ordersBy === 'url' ? forwardUrl : undefined
  const pushing = url === undefined ? undefined : pushToUrl({ url, token: forwardToken, extraCa, clock, log })
  const files = spoolDir === undefined ? undefined : eventFiles(spoolDir, clock, log)
  const push = pushing?.push ?? (async () => 'unanswered' as const)
  const orders = new Orders({ ledger, clock, log, way: ordersBy, push, files, onObserved })
  const { promise: workStarted, resolve: startWork } = Promise.withResolvers<void>()
  const stopping = new AbortController()
  let server: BridgeServer | undefined

  const reasonsOfFiles = () => {
    if (spoolDir === undefined || ordersBy !== 'files') return []
    // Replies come in as requests do, and events go out as answers do.
    const dirs = { root: spoolDir, outbox: join(spoolDir, 'replies'), inbox: join(spoolDir, 'events') }
    return spoolReasons(dirs, orders.handOver.hasProblem).map(sentenceOf)
  }

  return {
    reports: orders.reports,
    answer: orders.answer,
    listAll: orders.listAll,

    async listen(openWebhook) {
      const refusalLog = new LimitedLog(log, clock)
      const { signal } = stopping
      server = await startBridgeServer({ ...options, orders, openWebhook, workStarted, stopping: signal, refusalLog })
      return server.url
    },

    async start(platform) {
      await orders.start(platform)
      for (const reason of reasonsOfFiles()) log.warn(reason)
      startWork()
    },

    handover: handoverInWords(options),
    reasons: () => [
      ...(orders.fullCause === undefined
        ? []
        : [
            `orders cannot be recorded (${orders.fullCause}), and webhooks are answered 503: free space on the disk of ${stateDir}`,
          ]),
      ...reasonsOfFiles(),
    ],
    findOpenOrders: () => ledger.findOpen(),
    check: () => orders.check(),

    async stop() {
      stopping.abort()
      startWork()
      await Promise.all([orders.stop(), server?.close()])
    },

    async close() {
      server?.destroy()
      orders.close()
      await pushing?.close()
      await ledger.close()
    },
  }
}

function handoverInWords({ settings: { forwardUrl, ordersBy }, spoolDir }: BridgeOptions): string {
  if (ordersBy === 'url') return `posted to ${new URL(forwardUrl ?? '').origin}`
  return ordersBy === 'asking' ? 'the game server asks with orders.open' : `files in ${join(spoolDir ?? '', 'events')}`
}
