import { randomUUID } from 'node:crypto'
import manifest from '../package.json' with { type: 'json' }
import type { CallAnswer } from './call/answer.ts'
import { answerCall, type CallDeps } from './call/answer-call.ts'
import type { Call } from './call/call.ts'
import { envelopeSealer, webhookVerifier } from './call/local-operations.ts'
import { RetryBudget } from './call/retry-budget.ts'
import { SingleFlight } from './call/single-flight.ts'
import type { CallTrace } from './call/trace.ts'
import { Turns } from './call/turns.ts'
import { type Clock, systemClock } from './clock.ts'
import type { AgentConfig } from './config/config.ts'
import { memoryJournal } from './journal/memory-journal.ts'
import type { Log } from './log.ts'
import { operationsText } from './loopback/operations-text.ts'
import { startLoopbackServer } from './loopback/server.ts'
import { connectToPlatform } from './platform/connection.ts'
import { partnerApi } from './platform/partner-api.ts'
import { PlatformClock } from './platform/platform-clock.ts'
import { sealingWith } from './signing/seal.ts'

/** Time, chance and identity, as they come from outside. */
export interface Outside {
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Never twice the same. */
  readonly newJti: () => string
}

export const realOutside: Outside = { clock: systemClock, random: Math.random, newJti: randomUUID }

/** A daemon that is up. */
export interface RunningAgent {
  /** Where interface A listens. */
  readonly url: string
  /** Takes no new work, lets what is under way end within `graceMs`, and closes everything. */
  close(graceMs: number): Promise<void>
}

/** Name and version, as `/health` tells them. */
export const agentName = `market-agent ${manifest.version}`

/**
 * Puts the agent together and starts it.
 *
 * @throws {NodeJS.ErrnoException} The port cannot be taken.
 */
export async function startAgent(config: AgentConfig, log: Log, outside: Outside = realOutside): Promise<RunningAgent> {
  const { clock, random, newJti } = outside
  const { signingKey } = config
  log.info(
    {
      version: manifest.version,
      platform: new URL(config.baseUrl).host,
      kid: signingKey.kid,
      keyFingerprint: signingKey.fingerprint,
      stateDir: config.stateDir,
      tokenConfigured: config.token !== undefined,
    },
    'starting',
  )
  const platformClock = new PlatformClock(clock)
  const connection = await connectToPlatform({
    origin: new URL(config.baseUrl).origin,
    extraCa: config.extraCa,
    httpsProxy: config.httpsProxy,
    noProxy: config.noProxy,
    clock,
  })
  const api = partnerApi({
    baseUrl: config.baseUrl,
    apiKey: config.apiKey,
    kid: signingKey.kid,
    attemptTimeoutMs: config.attemptTimeoutMs,
    userAgent: agentName.replace(' ', '/'),
    connection,
    platformClock,
    seal: sealingWith(signingKey.privateKey),
    newJti,
  })
  const deps: CallDeps = {
    clock,
    platformClock,
    partnerApi: api,
    retryBudget: new RetryBudget(clock),
    random,
    attemptTimeoutMs: config.attemptTimeoutMs,
    callDeadlineMs: config.callDeadlineMs,
    journal: memoryJournal(clock),
    singleFlight: new SingleFlight(),
    turns: new Turns(clock),
    sealEnvelope: envelopeSealer(api),
    verifyWebhook: webhookVerifier(config.platformKeys, platformClock),
    callAnswered: (call, answer, trace, durationMs) => logCall(log, call, answer, trace, durationMs),
    callBroke: (call, error) =>
      log.error({ err: error, operation: call.operationName, id: call.id }, 'call broke: a fault of the agent'),
  }
  const loopback = await startLoopbackServer({
    host: config.host,
    port: config.port,
    token: config.token,
    answerCall: (call) => answerCall(call, deps),
    operationsText: operationsText(),
    agent: agentName,
  })
  log.info({ url: loopback.url }, 'listening')
  log.flushNow()
  return {
    url: loopback.url,
    async close(graceMs) {
      await loopback.close(graceMs)
      await connection.close()
      deps.journal.close()
    },
  }
}

/** One wide line for each call, with everything that was decided on the way. */
function logCall(log: Log, call: Call, answer: CallAnswer, trace: CallTrace, durationMs: number): void {
  const line: Record<string, unknown> = {
    operation: call.operationName,
    id: call.id,
    outcome: answer.ok ? 'ok' : answer.uncertain ? 'uncertain' : 'refused',
    source: trace.source,
    attempts: trace.attempts,
    durationMs: Math.round(durationMs * 10) / 10,
  }
  if (!answer.ok) line['status'] = answer.status
  if (trace.retryDelaysMs.length > 0) line['retryDelaysMs'] = trace.retryDelaysMs
  if (trace.fault !== undefined) {
    line['fault'] = trace.fault
    line['cause'] = trace.cause
  }
  log.info(line, 'call answered')
}
