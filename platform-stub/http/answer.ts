import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import type { Clock } from '../clock/clock.ts'
import { httpDate } from '../clock/iso.ts'
import { refuse } from '../marketplace/refusal.ts'
import { type HttpRequest, hasBody, readRequest } from './http-request.ts'

/** What goes back to a sender. */
export interface HttpAnswer {
  readonly status: number
  /** Of a body that is not empty, unless `headers` say it. */
  readonly contentType?: string
  /** Names and values in turn. `Date`, and `Content-Length` of a whole body, are added. */
  readonly headers: readonly string[]
  /** A stream for an answer that continues; empty for none. */
  readonly body: string | Uint8Array | Readable
  /** How much of it leaves: a fault cuts it in half, or drops the connection. `whole` where it is left out. */
  readonly ending?: 'whole' | 'cut' | 'dropped'
}

/** Answers one request. What it throws is a bug of the stub. */
export type Handler = (request: HttpRequest) => Promise<HttpAnswer>

/** Answers on a socket. */
export type Listener = (incoming: IncomingMessage, response: ServerResponse) => void

/** What an answer needs besides its handler. */
interface AnswerParts {
  readonly clock: Clock
  readonly log: Logger
}

/**
 * The only way to a socket. Whatever happens in a handler, the sender gets an answer, the stub lives, and a body that was
 * not read ends the connection, because its rest would be taken for the next request.
 */
export function answer(handler: Handler, parts: AnswerParts): Listener {
  return (incoming, response) => {
    respond(handler, incoming, response, parts).catch((error: unknown) => {
      // The sender may have gone; anything else is written down.
      if (!incoming.socket.destroyed) parts.log.error({ err: error }, 'answer broken off')
      response.destroy()
    })
  }
}

async function respond(
  handler: Handler,
  incoming: IncomingMessage,
  response: ServerResponse,
  { clock, log }: AnswerParts,
): Promise<void> {
  const request = readRequest(incoming)
  const { status, contentType, headers, ending, ...given } = await made(handler, request, log)
  if (ending === 'dropped') return destroy(incoming)
  const body = bodyless.has(status) ? '' : given.body
  const isUnread = hasBody(request.headers) && !incoming.complete
  // A list, name after name: Node sends it as it is, while it copies an object and asks for each of its names.
  const lines = ['Date', httpDate(clock.nowMs()), ...headers]
  if (contentType !== undefined && body !== '') lines.push('Content-Type', contentType)
  if (isUnread) lines.push('Connection', 'close')
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  if (isWhole && !lengthless.has(status)) lines.push('Content-Length', String(Buffer.byteLength(body)))
  response.writeHead(status, lines)
  if (!isWhole) return stream(body, request, response)
  if (ending === 'cut') return cut(incoming, response, body)
  // Node itself keeps the body of an answer to HEAD back.
  response.end(body)
}

/** Statuses whose answer has no body, whatever a fault asks for; for two of them a length is not allowed either. */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304])
const lengthless: ReadonlySet<number> = new Set([204, 304])

/** The handler's answer, or a 500 in the form of every other refusal. */
async function made(handler: Handler, request: HttpRequest, log: Logger): Promise<HttpAnswer> {
  try {
    return await handler(request)
  } catch (error) {
    log.error({ err: error }, 'request failed')
    const { status, message } = refuse('INTERNAL')
    return { status, contentType: jsonType, headers: notKept, body: JSON.stringify({ message }) }
  }
}

/** How JSON is declared. */
export const jsonType = 'application/json; charset=utf-8'

/** Headers of an answer that no cache may keep, and whose type no reader may guess. */
export const notKept: readonly string[] = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']

/** Sends a stream until its end, or until its reader is gone; to HEAD, only the head. */
async function stream(body: Readable, { method }: HttpRequest, response: ServerResponse): Promise<void> {
  if (method !== 'HEAD') return pipeline(body, response)
  body.destroy()
  response.end()
}

/** Lets half of an answer leave, whose head promised all of it; of one without a body, half of the head. */
function cut(incoming: IncomingMessage, response: ServerResponse, body: string | Uint8Array): void {
  // Not the response's socket: it has none yet while an earlier request of the connection is being answered.
  const { socket } = incoming
  const drop = (): void => destroy(incoming)
  const bytes = Buffer.from(body)
  if (bytes.length > 0) response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), drop)
  else socket.write('HTTP/1.1 200 OK\r\nContent-', drop)
}

function destroy({ socket }: IncomingMessage): void {
  socket.destroy()
}
