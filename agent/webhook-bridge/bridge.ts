import type { OrdersOperation } from '../../contract/operations.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { CallReports } from '../call/answer-call.ts'
import type { Call } from '../call/call.ts'
import type { OpenWebhook } from '../call/open-webhook.ts'
import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import type { WebhookSettings } from '../config/config.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { type AskPlatformOptions, askPlatform } from '../orders/ask-platform.ts'
import { messagesOf } from '../orders/message.ts'
import { Offers, type OnReply } from '../orders/offers.ts'
import type { Order } from '../orders/order.ts'
import { OrderBook } from '../orders/order-book.ts'
import { orderOperations } from '../orders/order-operations.ts'
import { OrderReports } from '../orders/order-reports.ts'
import { openSqliteOrderLedger } from '../orders/sqlite-order-ledger.ts'
import { Waiters } from '../orders/waiters.ts'
import { type BridgeServer, startBridgeServer } from './bridge-server.ts'
import { EventFiles } from './event-files.ts'
import { forwardToUrl } from './forward-to-url.ts'

export interface BridgeOptions {
  readonly settings: WebhookSettings
  readonly stateDir: string
  /** Where messages are files, if there is no forward URL. */
  readonly spoolDir: string | undefined
  readonly clock: Clock
  readonly log: Log
  /** Called when the ledger fails for another reason than a full disk. */
  readonly onFatal: (error: Error) => void
}

/** The webhook bridge: the ledger of orders, the port that fills it, and the ways to the game server. */
export interface Bridge {
  readonly reports: CallReports
  readonly answerOrders: (call: Call<OrdersOperation>) => Promise<CallAnswer>
  /**
   * Takes the port. Webhooks wait until the bridge is started.
   *
   * @returns Where the platform's webhooks go.
   * @throws {NodeJS.ErrnoException} The port cannot be taken.
   */
  listen(openWebhook: OpenWebhook): Promise<string>
  /** Offers what is open, then asks the platform about it, at once and every few minutes. */
  start(platform: Pick<AskPlatformOptions, 'getTransaction' | 'platformMs'>): Promise<void>
  /** Takes no new webhooks. Resolves when each one under way is answered, and replies under way are durable. */
  stop(): Promise<void>
  /** Closes the port, the connections to the game server, and the ledger. */
  close(): Promise<void>
}

/** The platform waits for 10 s. */
const webhookWaitMs = 9_000
const askIntervalMs = 180_000
const purgeIntervalMs = 3_600_000
const closedKeptMs = 30 * 24 * 3_600_000

/** @throws As `openSqliteOrderLedger`. */
export function openBridge(options: BridgeOptions): Bridge {
  const { settings, stateDir, spoolDir, clock, log, onFatal } = options
  const ledger = openSqliteOrderLedger({ stateDir, onFatal })
  const waiters = new Waiters(clock, webhookWaitMs)
  const refusalLog = new LimitedLog(log, clock)
  const stopping = new AbortController()
  const { promise: workStarted, resolve: startWork } = Promise.withResolvers<void>()
  let isClosed = false
  const stopRepeating: (() => void)[] = []
  const book = new OrderBook({
    ledger,
    clock,
    log,
    onChange(order) {
      offers?.follow(order)
      waiters.follow(order)
    },
  })

  /** For work without a caller that waits. A change that could not be recorded is tried again later. */
  async function attempt(act: () => Promise<unknown>): Promise<void> {
    if (isClosed) return
    try {
      await act()
    } catch (error) {
      if (!(error instanceof StoreFullError)) log.error({ err: error }, 'the webhook bridge failed: a bug of the agent')
      else
        refusalLog.warn({ cause: error.code, cure: 'free space on its disk' }, 'nothing can be recorded about orders')
    }
  }

  const takeReply: OnReply = (message, { observedQuantity }) =>
    attempt(() =>
      observedQuantity === undefined
        ? book.confirmEnd(message.transactionId)
        : book.take(message.transactionId, observedQuantity, message.generation),
    )
  const forward = settings.forwardUrl === undefined ? undefined : forwardToUrl({ url: settings.forwardUrl, clock, log })
  const files =
    forward || spoolDir === undefined ? undefined : new EventFiles({ root: spoolDir, clock, log, onReply: takeReply })
  const handover = forward ?? files
  const offers =
    handover &&
    new Offers({
      handover,
      clock,
      onReply: takeReply,
      onPush: ({ event, transactionId, generation }) => {
        if (event === 'transfer_order') void attempt(() => book.countOffer(transactionId, generation))
      },
    })
  let server: BridgeServer | undefined

  function attemptRepeatedly(intervalMs: number, act: () => Promise<unknown>): void {
    if (!stopping.signal.aborted) stopRepeating.push(repeat(clock, intervalMs, () => attempt(act)))
  }

  function stopTimers(): void {
    stopping.abort()
    for (const stop of stopRepeating) stop()
  }

  async function offerOpen(): Promise<void> {
    const ends = await book.findUnconfirmedEnds()
    const open: readonly Order[] = [...(await book.findOpen()), ...ends]
    for (const order of open) offers?.follow(order)
    await files?.start(open.flatMap(messagesOf))
  }

  return {
    reports: new OrderReports(book, log),
    answerOrders: orderOperations(book, clock),

    async listen(openWebhook) {
      const hasten = (transactionId: number) => offers?.hasten(transactionId)
      const deps = { book, waiters, openWebhook, hasten }
      server = await startBridgeServer({ ...deps, settings, workStarted, clock, log, refusalLog })
      return server.url
    },

    async start(platform) {
      const startedMs = clock.wallMs()
      await offerOpen()
      startWork()
      let isFirst = true
      attemptRepeatedly(askIntervalMs, () => {
        // First about all that an earlier agent has left, and not about what the game server has just taken.
        const beforeMs = isFirst ? startedMs : clock.wallMs() - askIntervalMs
        isFirst = false
        return askPlatform({ ...platform, book, clock, log, beforeMs, stopping: stopping.signal })
      })
      attemptRepeatedly(purgeIntervalMs, () => book.removeClosedBefore(clock.wallMs() - closedKeptMs))
    },

    async stop() {
      stopTimers()
      waiters.stop()
      startWork()
      await Promise.all([server?.close(), offers?.stop(), files?.stop()])
    },

    async close() {
      stopTimers()
      isClosed = true
      server?.destroy()
      await forward?.close()
      await ledger.close()
    },
  }
}
