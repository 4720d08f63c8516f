import { signatureHeaderName } from '../../contract/envelope/protected-header.ts'
import type { WebhookEvent } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import type { Clock } from '../clock/clock.ts'
import type { WebhookSettings } from '../config/config.ts'
import { type Door, type DoorRequest, headersOf, type RequestHead } from '../http/door.ts'
import { type HttpServer, type Listen, portTaken } from '../http/listen.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import {
  type ReceiveDeps,
  receiveWebhook,
  refusalOfEnvelope,
  type WebhookAnswer,
  type WebhookResult,
} from './receive-webhook.ts'

export interface BridgeServerOptions extends ReceiveDeps {
  readonly settings: WebhookSettings
  /** Called for each request that is answered; the event is null where it is not known. */
  readonly onWebhook: (event: WebhookEvent | null, result: WebhookResult) => void
  /** Resolves when the agent works: the port is taken before. */
  readonly workStarted: Promise<void>
  /** Set when the agent stops: later requests are refused at once. */
  readonly stopping: AbortSignal
  readonly listen: Listen
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For requests that do not become a webhook. */
  readonly refusalLog: Pick<LimitedLog, 'warn'>
}

/** The port that receives the platform's webhooks. It may face the internet. */
export type BridgeServer = Pick<HttpServer, 'url' | 'close' | 'destroy'>

const connectionsMax = 1_024
const signatureHeader = signatureHeaderName.toLowerCase()

/** @throws {NodeJS.ErrnoException} The port cannot be taken. */
export async function startBridgeServer(options: BridgeServerOptions): Promise<BridgeServer> {
  const { settings, clock, log, refusalLog } = options
  const { host, port, path } = settings
  const server = await options.listen({
    port: { host, port, clock, onTaken: () => log.warn({ port }, portTaken) },
    connectionsMax,
    keepAliveTimeoutMs: 15_000,
    door: bridgeDoor(options),
    onBug: (error) => log.error({ err: error }, 'webhook failed: a bug of the agent'),
    malformedText: () => JSON.stringify({ message: 'not a valid HTTP request' }),
    onMalformed: (status, reason) => refusalLog.warn({ status, reason }, 'webhook refused'),
  })
  return { url: `${server.url}${path}`, close: () => server.close(), destroy: () => server.destroy() }
}

/** Answers the platform's webhooks, and strangers. */
function bridgeDoor(options: BridgeServerOptions): Door {
  const { settings, clock, log, refusalLog, orders, openWebhook } = options

  /** One request. Everything that can end it is on this page; undefined when the sender has hung up. */
  async function answerRequest(request: DoorRequest): Promise<WebhookAnswer | undefined> {
    const refusal = refusalOf(request, settings.path)
    if (refusal) return refusal
    const headerLines = headersOf(request.rawHeaders).get(signatureHeader) ?? []
    // What can be judged without the body is judged before it is read: a stranger's body is not.
    const error = openWebhook.judgeHead(headerLines)
    if (error) return refusalOfEnvelope(error)
    const body = await request.readBody()
    if (body === 'broken') return undefined
    if (body === 'too-large') return refuse(413, 'body too large')
    await options.workStarted
    return options.stopping.aborted
      ? refuse(503, 'the agent is stopping')
      : receiveWebhook({ headerLines, body }, options)
  }

  return async (request) => {
    const startedMs = clock.monotonicMs()
    const answer = await answerRequest(request).catch((error) => {
      log.error({ err: error }, 'webhook failed: a bug of the agent')
      return refuse(500, 'internal error')
    })
    if (!answer) return undefined
    const { status, body, allow, result, event = null, transactionId = null, acknowledged, reason, cure } = answer
    return {
      ...{ status, text: JSON.stringify(body), allow },
      async onSent(hasLeft) {
        options.onWebhook(event, result)
        const durationMs = Math.round((clock.monotonicMs() - startedMs) * 10) / 10
        const line = { event, transactionId, status, result, hasLeft, durationMs }
        if (reason === undefined) log.info(line, 'webhook answered')
        else refusalLog.warn({ ...line, reason, cure }, 'webhook refused')
        if (acknowledged) await orders.endAcknowledging(acknowledged, hasLeft)
      },
    }
  }
}

/** Decided only by the head. */
function refusalOf({ method, target, rawHeaders }: RequestHead, path: string): WebhookAnswer | undefined {
  if (target !== path) return refuse(404, 'unknown path')
  if (method !== 'POST') return { ...refuse(405, 'only POST'), allow: 'POST' }
  const headers = headersOf(rawHeaders)
  if (headers.get(signatureHeader)?.length !== 1) return refuse(401, 'no single signature header')
  return Number(headers.get('content-length')?.[0] ?? 0) > limits.bodyBytesMax
    ? refuse(413, 'body too large')
    : undefined
}

/** A request that is not a webhook. */
function refuse(status: number, reason: string): WebhookAnswer {
  return { status, body: { message: reason }, result: 'refused', reason }
}
