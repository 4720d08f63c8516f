import type { IncomingMessage, ServerResponse } from 'node:http'
import { signatureHeaderName } from '../../contract/envelope/protected-header.ts'
import type { WebhookEvent } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import type { Clock } from '../clock/clock.ts'
import type { WebhookSettings } from '../config/config.ts'
import { StoreFullError } from '../database/store-errors.ts'
import { type HttpServer, startHttpServer } from '../http/http-server.ts'
import { readBody } from '../http/read-body.ts'
import { portTaken } from '../http/take-port.ts'
import { writeAnswer } from '../http/write-answer.ts'
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
  /** Set when the agent stops: what comes then is refused at once. */
  readonly stopping: AbortSignal
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For requests that do not become a webhook. */
  readonly refusalLog: Pick<LimitedLog, 'warn'>
}

/** The port that receives the platform's webhooks. It may face the internet. */
export type BridgeServer = Pick<HttpServer, 'url' | 'close' | 'destroy'>

const connectionsMax = 1_024
const signatureHeader = signatureHeaderName.toLowerCase()

/** A request that is not a webhook. */
interface Refusal {
  readonly status: number
  readonly reason: string
  readonly cure?: string | undefined
  readonly allow?: string
  readonly message?: string
}

/** @throws {NodeJS.ErrnoException} The port cannot be taken. */
export async function startBridgeServer(options: BridgeServerOptions): Promise<BridgeServer> {
  const { settings, clock, log, refusalLog, orders } = options
  const { host, port } = settings

  /** One request. Everything that can end it is on this page; undefined when the sender has hung up. */
  async function answerRequest(
    request: IncomingMessage,
    response: ServerResponse<IncomingMessage>,
  ): Promise<WebhookAnswer | Refusal | undefined> {
    const headerLines = request.headersDistinct[signatureHeader] ?? []
    const refusal = refusalOf(request, settings.path) ?? refusalByHead(headerLines, options)
    if (refusal) return refusal
    if ('expect' in request.headers) response.writeContinue()
    const body = await readBody(request)
    if (body === 'broken') return undefined
    if (body === 'too-large') return { status: 413, reason: 'body too large' }
    await options.workStarted
    if (options.stopping.aborted) return { status: 503, reason: 'the agent is stopping' }
    return receiveWebhook({ headerLines, body }, options)
  }

  async function handle(request: IncomingMessage, response: ServerResponse<IncomingMessage>): Promise<void> {
    const startedMs = clock.monotonicMs()
    try {
      const answer = await answerRequest(request, response)
      if (!answer) return void response.destroy()
      const hasLeft = await write(request, response, answer)
      if (!('result' in answer)) {
        options.onWebhook(null, 'refused')
        const { status, reason, cure } = answer
        return refusalLog.warn({ status, reason, cure }, 'webhook refused')
      }
      const { status, result, event = null, transactionId = null, acknowledged, reason, cure } = answer
      options.onWebhook(event, result)
      const durationMs = Math.round((clock.monotonicMs() - startedMs) * 10) / 10
      const line = { event, transactionId, status, result, hasLeft, durationMs }
      if (reason === undefined) log.info(line, 'webhook answered')
      else refusalLog.warn({ ...line, reason, cure }, 'webhook refused')
      if (hasLeft && acknowledged) await orders.acknowledge(acknowledged)
    } catch (error) {
      // The order stays taken: the stored reply answers the platform if it asks again.
      if (error instanceof StoreFullError) return
      log.error({ err: error }, 'webhook failed: a bug of the agent')
      if (response.headersSent) response.destroy()
      else await write(request, response, { status: 500, reason: 'internal error' })
    }
  }

  /** @returns Whether the whole answer has left. */
  async function write(
    request: IncomingMessage,
    response: ServerResponse<IncomingMessage>,
    answer: WebhookAnswer | Refusal,
  ): Promise<boolean> {
    const closed = new Promise<void>((resolve) => {
      if (response.destroyed) resolve()
      else response.once('close', resolve)
    })
    const text = JSON.stringify('body' in answer ? answer.body : { message: answer.message ?? answer.reason })
    const allow = 'allow' in answer ? answer.allow : undefined
    await writeAnswer(request, response, { status: answer.status, text, allow }, () => server.isLast(request, response))
    await closed
    return response.writableFinished
  }

  const server = await startHttpServer({
    port: { host, port, clock, onTaken: () => log.warn({ port }, portTaken) },
    connectionsMax,
    keepAliveTimeoutMs: 15_000,
    handle,
    malformedText: () => JSON.stringify({ message: 'not a valid HTTP request' }),
    onMalformed: (status, reason) => refusalLog.warn({ status, reason }, 'webhook refused'),
  })
  return { url: `${server.url}${settings.path}`, close: () => server.close(), destroy: () => server.destroy() }
}

/** What is wrong with an envelope already without its body, so that a stranger's body is not read. */
function refusalByHead(headerLines: readonly string[], { openWebhook }: BridgeServerOptions): Refusal | undefined {
  const error = openWebhook.judgeHead(headerLines)
  if (!error) return undefined
  const { body, reason = '', cure } = refusalOfEnvelope(error)
  return { status: 401, reason, cure, message: String(body['message']) }
}

/** Decided on the head alone, so that a stranger's body is not read. */
function refusalOf({ method, url, headersDistinct, headers }: IncomingMessage, path: string): Refusal | undefined {
  if (url !== path) return { status: 404, reason: 'unknown path' }
  if (method !== 'POST') return { status: 405, reason: 'only POST', allow: 'POST' }
  if (headersDistinct[signatureHeader]?.length !== 1) return { status: 401, reason: 'no single signature header' }
  if (Number(headers['content-length'] ?? 0) > limits.bodyBytesMax) return { status: 413, reason: 'body too large' }
  return undefined
}
