import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import type { Clock } from '../clock/clock.ts'
import { refuse } from '../marketplace/refusal.ts'
import { type Handler, type HttpAnswer, headOf, isWhole, jsonType, notKept, sentBodyOf } from './answer.ts'
import { type HttpRequest, hasBody } from './http-request.ts'
import { readRequest } from './read-request.ts'

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
  const made = await answerOf(handler, request, log)
  const { status, ending } = made
  if (ending === 'dropped') return destroy(incoming)
  const body = sentBodyOf(made)
  const lines = headOf(made, clock.nowMs())
  if (hasBody(request.headers) && !incoming.complete) lines.push('Connection', 'close')
  response.writeHead(status, lines)
  if (!isWhole(body)) return stream(body, request, response)
  if (ending === 'cut') return cut(incoming, response, body)
  // Node itself keeps the body of an answer to HEAD back.
  response.end(body)
}

/** The handler's answer, or a 500 in the form of every other refusal. */
async function answerOf(handler: Handler, request: HttpRequest, log: Logger): Promise<HttpAnswer> {
  try {
    return await handler(request)
  } catch (error) {
    log.error({ err: error }, 'request failed')
    const { status, message } = refuse('INTERNAL')
    return { status, contentType: jsonType, headers: notKept, body: JSON.stringify({ message }) }
  }
}

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
