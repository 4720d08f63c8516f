import manifest from '../package.json' with { type: 'json' }
import { refuse } from './call/answer.ts'
import { answerCall, type CallDeps } from './call/answer-call.ts'
import { type Call, readCall } from './call/call.ts'
import { notingListings } from './call/listings.ts'
import { envelopeSealer, webhookVerifier } from './call/local-operations.ts'
import { webhookOpener } from './call/open-webhook.ts'
import { Repairs } from './call/repairs.ts'
import { RetryBudget } from './call/retry-budget.ts'
import type { SendDeps } from './call/send-with-retries.ts'
import { SingleFlight } from './call/single-flight.ts'
import { notingStocks } from './call/stocks.ts'
import { type Turn, takeTurn } from './call/turn.ts'
import type { Clock } from './clock/clock.ts'
import { repeat } from './clock/repeat.ts'
import type { LiveConfig } from './config/live-config.ts'
import { CallLog } from './log/call-log.ts'
import { LimitedLog } from './log/limited-log.ts'
import type { Log } from './log/log.ts'
import { PlatformLog } from './log/platform-log.ts'
import { repairLog } from './log/repair-log.ts'
import { StateLog } from './log/state-log.ts'
import { operationsText } from './loopback/operations-text.ts'
import { startLoopbackServer } from './loopback/server.ts'
import type { OrdersPlatform } from './orders/platform-port.ts'
import { warnOfUnattendedOrders } from './orders/unattended-orders.ts'
import type { Outside } from './outside.ts'
import { takeOwnershipInTime } from './ownership/late-ownership.ts'
import type { Ownership } from './ownership/ownership.ts'
import { Contact } from './platform/contact.ts'
import { attemptLifetimeMsOf, partnerApi } from './platform/partner-api.ts'
import { PlatformClock } from './platform/platform-clock.ts'
import { proxyOf } from './platform/proxy.ts'
import { RequestTable } from './spool/requests.ts'
import type { Spool } from './spool/spool.ts'
import { spoolDirs } from './spool/spool-dirs.ts'
import { startSpool } from './spool/start-spool.ts'
import { Counters } from './status/counters.ts'
import { readStatus } from './status/status.ts'
import { openBridge } from './webhook-bridge/bridge.ts'

/** A running daemon. */
export interface RunningAgent {
  /** Where interface A listens. */
  readonly url: string
  /** Where the platform's webhooks go, if the bridge is on. */
  readonly webhookUrl: string | undefined
  /** Sets the clock by the platform's, so that it is right before the first call or webhook. */
  learnPlatformClock(): Promise<void>
  /** Resolves when the journal answers. */
  readonly checkAlive: () => Promise<unknown>
  /** Takes no new work, gives calls in flight `graceMs` to end, and closes everything. */
  close(graceMs: number): Promise<void>
}

/** A stop that takes longer says each second what it waits for. */
const waitingReportMs = 1_000

/** Name and version, for `/health`. */
const agentName = `market-agent ${manifest.version}`

/**
 * Composes the agent and starts it: locks, journal, port, then work.
 *
 * @param onFatal Called when the agent would have to guess if it continued: its journal or a sync to disk failed.
 * @throws {LockedError} Another agent owns the state directory or the spool.
 * @throws {DirUnusableError} One of them cannot be made, read or written.
 * @throws {StoreUnusableError} The journal is damaged, newer or foreign.
 * @throws {SpoolUnusableError} The spool's directories cannot be used.
 * @throws {NodeJS.ErrnoException} The port cannot be opened.
 */
export async function startAgent(
  live: LiveConfig,
  log: Log,
  onFatal: (error: Error) => void,
  outside: Outside,
): Promise<RunningAgent> {
  const { clock, signing } = outside
  const config = live.current
  await using started = new AsyncDisposableStack()
  const owner = `process ${outside.pid}, since ${new Date(clock.wallMs()).toISOString()}`
  const owned = (ownership: Ownership): Ownership => {
    started.defer(() => ownership.release())
    return ownership
  }
  owned(outside.takeOwnership({ setting: 'SERVICE_STATE_DIR', path: config.stateDir, mode: 0o700 }, owner))
  const ownSpool = (path: string): Ownership =>
    owned(takeOwnershipInTime(outside.takeOwnership, { setting: 'SERVICE_SPOOL_DIR', path, mode: 0o755 }, owner))
  const spoolOwnership = config.spoolDir === undefined ? undefined : ownSpool(config.spoolDir)
  const startedMs = clock.monotonicMs()
  const counters = new Counters()
  const requestFiles = new RequestTable(() => clock.monotonicMs())
  const stateLog = new StateLog('calls with an id', config.stateDir, log)
  const store = await outside.openStore({
    stateDir: config.stateDir,
    clock,
    attemptLifetimeMs: attemptLifetimeMsOf(config.attemptTimeoutMs),
    isUnanswered: (id) => config.spoolDir !== undefined && requestFiles.isUnanswered(id),
    onFull: (cause) => stateLog.onFull(cause),
    onFatal,
  })
  started.defer(() => store.close())
  const { journal, turns, listings } = store
  const { baseUrl, extraCa, attemptTimeoutMs, callDeadlineMs } = config
  const { origin } = new URL(baseUrl)
  const proxy = proxyOf(origin, config)
  const route = { baseUrl, proxy, signer: () => live.current.signingKey }
  const connection = outside.connect({ origin, extraCa, proxy, attemptTimeoutMs, idle: 'kept', clock })
  started.defer(() => connection.close())
  const platformLog = new PlatformLog(log, clock)
  const contact = new Contact(clock, (state) => platformLog.onContact(state))
  started.defer(() => contact.stop())
  const platformClock = new PlatformClock(clock, (offsetMs) => platformLog.onClock(offsetMs))
  const toPlatform = { route, connection, contact, platformClock, clock, attemptTimeoutMs }
  const userAgent = agentName.replace(' ', '/')
  const api = partnerApi({ ...toPlatform, credentials: () => live.current, userAgent, newJti: outside.newJti, signing })
  const sending: SendDeps = {
    ...toPlatform,
    partnerApi: api,
    retryBudget: new RetryBudget(clock),
    random: outside.random,
    onAttempt: (operationName, result) => counters.onAttempt(operationName, result),
    mayBegin: () => store.mayBegin(),
  }
  const { onRepair, onError } = repairLog(log)
  const observations = journal.openObservations({ clock, lifetimeMs: api.attemptLifetimeMs, onError })
  const repairs = new Repairs({ observations, turns, sending, onRepair, onError })
  started.defer(() => repairs.close())
  const onWebhook = counters.onWebhook.bind(counters)
  const platform: OrdersPlatform = {
    platformMs: () => platformClock.nowMs(),
    async call(operation, input, mark) {
      const reading = readCall({ operation, input, id: undefined })
      if (!reading.ok) throw new Error(reading.messageText)
      const { call } = reading
      let retryAfterMs: number | undefined
      const own: CallDeps = {
        ...deps,
        onDone: (_call, _answer, trace) => {
          retryAfterMs = trace.retryAfterMs
        },
        onError: (_call, error) => log.error({ err: error, operation }, 'call failed: a bug of the agent'),
      }
      return { answer: await answerCall(call, takeTurn(call, own, mark), own), retryAfterMs }
    },
  }
  const forwardToken = () => live.current.webhook?.forwardToken
  const toBridge = { forwardToken, platform, clock, log, onWebhook, observations: repairs, onFatal }
  const bridge =
    config.webhook && (await openBridge({ ...config, ...outside, ...store, ...toBridge, settings: config.webhook }))
  if (bridge) started.defer(() => bridge.close())
  else await warnOfUnattendedOrders(() => store.countOpenOrders(), log)
  const openWebhook = webhookOpener(() => live.current.platformKeys, platformClock, api, clock, signing.check)
  const callLog = new CallLog(log)
  const deps: CallDeps = {
    callDeadlineMs,
    singleFlight: new SingleFlight(),
    turns,
    journal,
    sending,
    repairs,
    local: {
      sealEnvelope: envelopeSealer(api, listings),
      verifyWebhook: webhookVerifier(openWebhook, () => live.current.platformKeys.size > 0),
      answerOrders: bridge?.orders.answer ?? (async () => refuse('ORDERS_NOT_CONFIGURED')),
    },
    reports: notingListings(listings, bridge?.orders.reports ?? notingStocks((...stock) => store.noteStock(...stock))),
    onDone(...answered) {
      counters.onAnswered(...answered)
      callLog.onAnswered(...answered)
    },
    onError: (call, error) => callLog.onError(call, error),
  }
  const answer = (call: Call, turn: Turn) => callLog.follow(call, () => answerCall(call, turn, deps))
  let spool: Spool | undefined
  const reasons = () => [...contact.reasons, ...store.reasons, ...stateLog.reasons, ...(bridge?.reasons() ?? [])]
  const status = () =>
    readStatus({
      agent: agentName,
      clock,
      startedMs,
      config: () => live.current,
      contact,
      platformClock,
      counters,
      inFlight: () => callLog.inFlight,
      waiting: () => turns.waiting,
      journal,
      store,
      isJournalWritable: () => stateLog.reasons.length === 0,
      reasons: () => [...new Set([...reasons(), ...(spool?.reasons() ?? [])])],
      spool: () => spool?.status(),
      findOpenOrders: () => bridge?.orders.book.ledger.findOpen(),
    })
  // The port is taken before any work starts: an agent that cannot have it has sent nothing.
  const { promise: workStarted, resolve: startWork } = Promise.withResolvers<void>()
  const loopback = await startLoopbackServer({
    address: config,
    config: live,
    answerCall: async (call) => {
      await workStarted
      return answer(call, takeTurn(call, deps))
    },
    async checkOrders() {
      await workStarted
      if (!bridge) return refuse('ORDERS_NOT_CONFIGURED')
      return { ok: true, dataText: JSON.stringify(await bridge.orders.check()) }
    },
    listOrders: async () => bridge?.orders.listAll() ?? refuse('ORDERS_NOT_CONFIGURED'),
    listOrdersOfWorlds: async () => bridge?.orders.listAllWorlds() ?? refuse('ORDERS_NOT_CONFIGURED'),
    operationsText,
    statusText: async () => JSON.stringify(await status()),
    metrics: async () => (await import('./status/metrics.ts')).writeMetrics(await status(), counters, manifest.version),
    agent: agentName,
    listen: outside.listen,
    clock,
    log,
    refusalLog: new LimitedLog(log, clock),
  })
  started.defer(() => loopback.destroy())
  const webhookUrl = await bridge?.listen(openWebhook)

  await repairs.start()
  const dirs = config.spoolDir === undefined ? undefined : spoolDirs(config.spoolDir)
  spool =
    dirs &&
    (await startSpool({
      dirs,
      files: outside.files,
      watchDir: outside.watchDir,
      assertOwned: () => spoolOwnership?.assertSameDir(),
      clock,
      log,
      agent: agentName,
      journal,
      table: requestFiles,
      takeTurn: (call) => takeTurn(call, deps),
      answerCall: answer,
      reasons,
      events: () => bridge?.listEvents() ?? [],
      onFatal,
    }))
  if (spool) started.defer(() => spool.stop())
  startWork()
  await bridge?.start()
  if (bridge) log.info({ handover: bridge.handover, url: webhookUrl }, 'listening for webhooks')
  log.info({ url: loopback.url }, 'listening')
  const running = started.move()
  return {
    url: loopback.url,
    webhookUrl,
    learnPlatformClock: () => api.learnClock(),
    checkAlive: () => store.checkAlive(),
    async close(graceMs) {
      repairs.stop()
      const stopped = Promise.all([loopback.close(), spool?.stop(), bridge?.stop()])
      const stopReports = repeat(clock, waitingReportMs, async () => callLog.logWaiting())
      await endsWithin(graceMs, stopped, clock).finally(stopReports)
      callLog.logCutOff()
      await running.disposeAsync()
    },
  }
}

/** Resolves when the work has ended, or after `ms`. */
async function endsWithin(ms: number, work: Promise<unknown>, clock: Clock): Promise<void> {
  const { promise: isOver, resolve: giveUp } = Promise.withResolvers<void>()
  const cancel = clock.after(ms, giveUp)
  await Promise.race([work, isOver]).finally(cancel)
}
