import { jsonErrorInWords } from '../../contract/faults-in-words.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { answerText, type CallAnswer, type CallRefusal, refuse, refuseForBug } from '../call/answer.ts'
import { type Call, isIdempotencyKey, readCall } from '../call/call.ts'
import { callsWaitingMax } from '../call/retry-budget.ts'
import type { Clock } from '../clock/clock.ts'
import type { DaemonAddress } from '../config/config.ts'
import type { LiveConfig } from '../config/live-config.ts'
import { isStoreFailure } from '../database/store-errors.ts'
import type { Answer, DoorRequest, RequestHead } from '../http/door.ts'
import { type HttpServer, type Listen, portTaken } from '../http/listen.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { type DoorRefusal, type GuardVerdict, guard, type Route } from './guard.ts'

export interface LoopbackOptions {
  readonly address: Pick<DaemonAddress, 'host' | 'port'>
  /** Has the token in use, and reloads. */
  readonly config: Pick<LiveConfig, 'reload' | 'readToken'> & { readonly current: Pick<DaemonAddress, 'token'> }
  readonly answerCall: (call: Call) => Promise<CallAnswer>
  /** Asks the platform about every open order, for POST /orders/check. */
  readonly checkOrders: () => Promise<CallAnswer>
  /** Every open order, for GET /orders. */
  readonly listOrders: () => Promise<CallAnswer>
  /** Every open order of every world, for GET /orders/all-worlds. */
  readonly listOrdersOfWorlds: () => Promise<CallAnswer>
  /** Writes the JSON text of GET /operations. */
  readonly operationsText: () => string
  /** JSON text of GET /status. */
  readonly statusText: () => Promise<string>
  /** What GET /metrics answers. */
  readonly metrics: () => Promise<Pick<Answer, 'text' | 'contentType'>>
  /** Name and version, for GET /health. */
  readonly agent: string
  readonly listen: Listen
  readonly clock: Clock
  readonly log: Log
  /** For requests that do not become a call. */
  readonly refusalLog: Pick<LimitedLog, 'warn'>
}

/** Interface A. When it is closed, it takes no new calls. @see interface section 4.10 */
export type LoopbackServer = Pick<HttpServer, 'url' | 'close' | 'destroy'>

const connectionsMax = 2 * callsWaitingMax

/** @throws {NodeJS.ErrnoException} The port cannot be taken. */
export async function startLoopbackServer(options: LoopbackOptions): Promise<LoopbackServer> {
  const { address, config, clock, log, refusalLog } = options
  const { host, port } = address
  const healthText = JSON.stringify({ ok: true, agent: options.agent })
  let waiting = 0
  let isClosing = false

  const routeAnswers: Record<Route, (exchange: Exchange) => Answer | Promise<Answer | undefined>> = {
    '/health': () => ({ status: 200, text: healthText }),
    '/operations': () => ({ status: 200, text: options.operationsText() }),
    '/status': async () => ({ status: 200, text: await options.statusText() }),
    '/metrics': async () => ({ status: 200, ...(await options.metrics()) }),
    '/orders': async () => ({ status: 200, text: answerText(undefined, await options.listOrders()) }),
    '/orders/all-worlds': async () => ({
      status: 200,
      text: answerText(undefined, await options.listOrdersOfWorlds()),
    }),
    '/orders/check': answerCheckRequest,
    '/call': answerCallRequest,
    '/reload': answerReload,
  }

  /** One request. Everything that can end it is on this page; undefined when the caller has hung up. */
  async function answerRequest(exchange: Exchange): Promise<Answer | undefined> {
    const verdict = judge(exchange.request)
    return verdict.ok ? routeAnswers[verdict.route](exchange) : turnAway(exchange, verdict)
  }

  async function answerCheckRequest(exchange: Exchange): Promise<Answer> {
    if (isClosing) return turnAway(exchange, shuttingDown)
    return { status: 200, text: answerText(undefined, await options.checkOrders()) }
  }

  function judge(head: RequestHead): GuardVerdict {
    const verdict = guard(head, config.current.token)
    // A caller that reads its token from the changed settings does not know the one in use.
    return !verdict.ok && verdict.answer.status === 401 && head.target === '/reload'
      ? guard(head, config.readToken())
      : verdict
  }

  function answerReload(): Answer {
    const reloading = config.reload()
    return { status: reloading.ok ? 200 : 422, text: JSON.stringify(reloading) }
  }

  async function answerCallRequest(exchange: Exchange): Promise<Answer | undefined> {
    if (isClosing) return turnAway(exchange, shuttingDown)
    if (waiting >= callsWaitingMax)
      return turnAway(exchange, { answer: refuse('TOO_MANY_CALLS'), reason: 'too many calls waiting' })
    waiting++
    try {
      const body = await exchange.request.readBody()
      if (body === 'broken') return undefined
      if (body === 'too-large')
        return turnAway(exchange, { answer: refuse('BODY_TOO_LARGE'), reason: 'body too large' })
      const reading = readCallBody(body)
      if (!reading.ok) return turnAway(exchange, reading, reading.id)
      const { call } = reading
      exchange.call = call
      return { status: 200, text: answerText(call.id, await options.answerCall(call)) }
    } finally {
      waiting--
    }
  }

  function turnAway({ request }: Exchange, { answer, reason, allow }: DoorRefusal, id?: string): Answer {
    const { status } = answer
    refusalLog.warn({ route: routeInLog(request), status, reason }, 'request refused')
    return { status, text: answerText(id, answer), allow }
  }

  async function door(request: DoorRequest): Promise<Answer | undefined> {
    const exchange: Exchange = { request, call: undefined }
    return answerRequest(exchange).catch((error) => answerFailure(exchange, error))
  }

  /** Calls have an answer for every failure; the pages about orders have none. */
  function answerFailure(exchange: Exchange, error: unknown): Answer {
    if (isStoreFailure(error))
      return turnAway(exchange, { answer: refuse('STORE_UNREACHABLE'), reason: 'the store cannot be reached' })
    return answerBug(exchange, error)
  }

  function answerBug({ call }: Exchange, error: unknown): Answer {
    log.error({ err: error, operation: call?.operationName, id: call?.id }, 'request failed: a bug of the agent')
    const mayHaveActed = call?.operation.kind === 'platform' && call.operation.retry !== 'safe'
    return { status: 500, text: answerText(call?.id, refuseForBug(mayHaveActed)) }
  }

  const server = await options.listen({
    port: { host, port, clock, onTaken: () => log.warn({ port }, portTaken) },
    connectionsMax,
    keepAliveTimeoutMs: 65_000,
    door,
    onBug: (error) => log.error({ err: error }, 'answer not written: a bug of the agent'),
    malformedText: (status) => answerText(undefined, { ...refuse('REQUEST_MALFORMED'), status }),
    onMalformed: (status, reason) => refusalLog.warn({ status, reason }, 'request refused'),
  })
  return {
    url: server.url,
    close() {
      isClosing = true
      return server.close()
    },
    destroy: () => server.destroy(),
  }
}

const shuttingDown: DoorRefusal = { answer: refuse('SHUTTING_DOWN'), reason: 'shutting down' }

/** One request on its way to an answer. */
interface Exchange {
  readonly request: DoorRequest
  /** Set when the call begins. From then on it may act. */
  call: Call | undefined
}

/** Reads a call, or says what is wrong; with its id if it has one. */
function readCallBody(
  body: Buffer,
): { ok: true; call: Call } | { ok: false; answer: CallRefusal; reason: string; id?: string | undefined } {
  const text = decodeUtf8(body)
  if (text === undefined) return { ok: false, answer: refuse('BODY_NOT_UTF8'), reason: 'body is not UTF-8' }
  const json = readStrictJson(text)
  if (!json.ok) {
    const answer = refuse('JSON_INVALID', { inWords: jsonErrorInWords(json.error) })
    return { ok: false, answer, reason: `body: ${json.error.kind}` }
  }
  const { operation, input, id } = json.object.value
  const reading = readCall({ operation, input, id })
  if (reading.ok) return reading
  const reason = 'operation, input or id is not valid'
  return { ok: false, answer: reading, reason, id: isIdempotencyKey(id) ? id : undefined }
}

/** Without a query: a caller may have put a secret there. */
function routeInLog({ method, target }: RequestHead): string {
  return `${method} ${target.split('?')[0]?.slice(0, 80)}`
}
