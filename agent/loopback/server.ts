import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../../contract/limits.ts'
import { decodeUtf8 } from '../../contract/strict-json.ts'
import { answerText, type CallAnswer, refusal } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import { messages } from '../call/messages.ts'
import { AnswersOwed } from './answers-owed.ts'
import { CallReader } from './call-reader.ts'
import { Departures } from './departures.ts'
import { guard, type Route } from './guard.ts'
import { discardBody, readBody } from './read-body.ts'

export interface LoopbackOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly token: string | undefined
  readonly answerCall: (call: Call) => Promise<CallAnswer>
  /** JSON text of GET /operations. */
  readonly operationsText: string
  /** Name and version, for GET /health. */
  readonly agent: string
}

/** Interface A. @see interface section 4.10 */
export interface LoopbackServer {
  readonly url: string
  /** Takes no new calls and resolves when the last answer is written, or after `graceMs`. */
  close(graceMs: number): Promise<void>
}

interface Reply {
  readonly status: number
  readonly text: string
  readonly allow?: string
}

/** @throws {NodeJS.ErrnoException} The port cannot be taken. */
export async function startLoopbackServer(options: LoopbackOptions): Promise<LoopbackServer> {
  const healthText = JSON.stringify({ ok: true, agent: options.agent })
  const calls = new CallReader()
  let waiting = 0
  let isClosing = false

  /** One request. Everything that can end it is on this page. */
  async function reply(request: IncomingMessage): Promise<Reply | undefined> {
    const head = { method: request.method ?? '', target: request.url ?? '', rawHeaders: request.rawHeaders }
    const verdict = guard(head, options.token)
    if (!verdict.ok) {
      await discardBody(request)
      return { ...refused(verdict.status, verdict.message), ...(verdict.allow && { allow: verdict.allow }) }
    }
    return routeReplies[verdict.route](request)
  }

  const routeReplies: Record<Route, (request: IncomingMessage) => Reply | Promise<Reply | undefined>> = {
    '/health': () => ({ status: 200, text: healthText }),
    '/operations': () => ({ status: 200, text: options.operationsText }),
    '/call': replyToCall,
  }

  async function replyToCall(request: IncomingMessage): Promise<Reply | undefined> {
    if (isClosing) return refused(503, messages.shuttingDown)
    if (waiting >= limits.callsWaitingMax) return refused(503, messages.tooManyWaiting)
    waiting++
    try {
      const body = await readBody(request)
      if (body === 'broken') return undefined
      if (body === 'too-large') return refused(413, messages.bodyTooLarge)
      const text = decodeUtf8(body)
      if (text === undefined) return refused(400, messages.bodyNotUtf8)
      const reading = calls.read(text)
      if (!reading.ok) return refused(400, reading.message, reading.id)
      return { status: 200, text: answerText(reading.call.id, await options.answerCall(reading.call)) }
    } finally {
      waiting--
    }
  }

  const owed = new AnswersOwed()
  const departures = new Departures()

  function handle(request: IncomingMessage, response: ServerResponse): void {
    owed.add(request, response)
    const answered = (answer: Reply | undefined, mustEnd: boolean): void => {
      const isLast = owed.settle(request, response) || mustEnd
      if (answer) write(request, response, answer, isLast)
      else response.destroy()
    }
    reply(request).then(
      (answer) => departures.add(() => answered(answer, isClosing)),
      () => departures.add(() => answered(refused(500, messages.internal), true)),
    )
  }

  const server = createServer(
    {
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      // The guard refuses it, in JSON.
      requireHostHeader: false,
    },
    handle,
  )
  // A caller may close its side as soon as it has said everything: its answer is still owed.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('checkExpectation', handle)
  server.maxConnections = 2 * limits.callsWaitingMax
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // What follows a whole request may be no HTTP; the answer to that request still comes first, and alone.
    if (!owed.endAfterwards(socket)) refuseMalformed(error, socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async close(graceMs) {
      isClosing = true
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeIdleConnections()
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(cut)
    },
  }
}

function refused(status: number, message: string, id?: string): Reply {
  return { status, text: answerText(id, refusal(status, message)) }
}

const fixedHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
}

function write(request: IncomingMessage, response: ServerResponse, reply: Reply, isLast: boolean): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(reply.status, {
    ...fixedHeaders,
    'content-length': Buffer.byteLength(reply.text),
    ...(reply.allow && { allow: reply.allow }),
    // What is left of a body that nobody reads would be taken for the next request.
    ...((isLast || !request.complete) && { connection: 'close' }),
  })
  response.end(reply.text)
}

const malformedStatuses: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
}

/** Node's own answer to a request that is no HTTP has no body; this one is JSON like all others. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const [status, reason] = malformedStatuses[error.code ?? ''] ?? [400, 'Bad Request']
  const text = answerText(undefined, refusal(status, messages.requestMalformed))
  const headers = Object.entries(fixedHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}connection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  socket.end(head + text)
}
