import { join } from 'node:path'
import type { OpenWebhook } from '../call/open-webhook.ts'
import type { Clock } from '../clock/clock.ts'
import type { WebhookSettings } from '../config/config.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import type { Order } from '../orders/order.ts'
import { Orders, type OrdersOptions, type OrdersPlatform } from '../orders/orders.ts'
import { openSqliteOrderLedger } from '../orders/sqlite-order-ledger.ts'
import { type BridgeServer, type BridgeServerOptions, startBridgeServer } from './bridge-server.ts'
import { EventFiles } from './event-files.ts'
import { forwardToUrl } from './forward-to-url.ts'

export interface BridgeOptions {
  readonly settings: WebhookSettings
  readonly stateDir: string
  /** Where messages are files, if there is no forward URL. */
  readonly spoolDir: string | undefined
  readonly clock: Clock
  readonly log: Log
  readonly onWebhook: BridgeServerOptions['onWebhook']
  readonly onObserved: OrdersOptions['onObserved']
  /** Called when the ledger fails for another reason than a full disk. */
  readonly onFatal: (error: Error) => void
}

/** The webhook bridge: the ledger of orders, the port that fills it, and the ways to the game server. */
export interface Bridge extends Pick<Orders, 'reports' | 'answer' | 'check'> {
  /**
   * Takes the port. Webhooks wait until the bridge is started.
   *
   * @returns Where the platform's webhooks go.
   * @throws {NodeJS.ErrnoException} The port cannot be taken.
   */
  listen(openWebhook: OpenWebhook): Promise<string>
  /** Offers what is open, then asks the platform about it, at once and every few minutes. */
  start(platform: OrdersPlatform): Promise<void>
  /** In words, how the game server gets its orders. */
  readonly handover: string
  /** Why orders are not handed over, each with its cure. Empty when they are. */
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
  const { settings, stateDir, spoolDir, clock, log, onObserved, onFatal } = options
  const ledger = openSqliteOrderLedger({ stateDir, onFatal })
  let files: EventFiles | undefined
  const orders = new Orders({
    ledger,
    clock,
    log,
    onObserved,
    handover(onReply) {
      if (settings.forwardUrl !== undefined) return forwardToUrl({ url: settings.forwardUrl, clock, log })
      files = spoolDir === undefined ? undefined : new EventFiles({ root: spoolDir, clock, log, onReply })
      return files
    },
  })
  const { promise: workStarted, resolve: startWork } = Promise.withResolvers<void>()
  let server: BridgeServer | undefined

  return {
    reports: orders.reports,
    answer: orders.answer,

    async listen(openWebhook) {
      const refusalLog = new LimitedLog(log, clock)
      server = await startBridgeServer({ ...options, orders, openWebhook, workStarted, refusalLog })
      return server.url
    },

    async start(platform) {
      await orders.start(platform)
      startWork()
    },

    handover: handoverInWords(options),
    reasons: () => files?.reasons() ?? [],
    findOpenOrders: () => orders.book.findOpen(),
    check: (platform) => orders.check(platform),

    async stop() {
      startWork()
      await Promise.all([orders.stop(), server?.close()])
    },

    async close() {
      server?.destroy()
      await orders.close()
      await ledger.close()
    },
  }
}

function handoverInWords({ settings: { forwardUrl }, spoolDir }: BridgeOptions): string {
  if (forwardUrl !== undefined) return `posted to ${new URL(forwardUrl).origin}`
  return spoolDir === undefined ? 'the game server asks with orders.open' : `files in ${join(spoolDir, 'events')}`
}
